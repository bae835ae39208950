"""What a rule book and an army list are made of, as frozen values.

Read from the rule packs and never changed afterwards. Distances are inches, prices are points. A
figure of a stat line is a number, a text such as ``2D6`` where the list prints no number, or None
for a dash.
"""
