from tests.browser.test_whole_games import *
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
del test_game_is_played_on_two_phones
def test_look(phones, live_server):
    for name, upto in (("mordheim-draft", 8), ("warhammer-skirmish", 12)):
        game = next(g for g in games() if g.name == name)
        battle = open_game(game)
        phone = phones[0]
        hold_key(phone.page.context, live_server.url, battle)
        phone.game = game
        phone.url = f"{live_server.url}/battles/{battle.token}/record/"
        phone.open()
        n = 0
        for step in game.steps:
            if step.line[0] in "?=" or step.refusal: continue
            phone.do(step); n += 1
            if n == 1: phone.page.screenshot(path=f"/tmp/look-{name}-recovery.png")
            if n >= 5: break
        phone.fold_dock(); phone.page.wait_for_timeout(300)
        phone.page.screenshot(path=f"/tmp/look-{name}-a.png")
        phone.choose_dock("a1"); phone.page.wait_for_timeout(300)
        phone.page.screenshot(path=f"/tmp/look-{name}-dock.png")
        phone.page.set_viewport_size({"width": 1280, "height": 900}); phone.page.wait_for_timeout(300)
        phone.page.screenshot(path=f"/tmp/look-{name}-wide.png")
        phone.page.set_viewport_size({"width": 390, "height": 844})
