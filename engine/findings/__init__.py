"""Findings: what a roster does that a guideline or its own army list advises against.

Guidelines are data (code, kind, level, parameters, sentence); there is one small function for each
*kind*. It takes the case and the guideline and yields hits; the sentence is the guideline's. A
finding never blocks anything.
"""
