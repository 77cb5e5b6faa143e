"""TextArena: its games as environments, such as `textarena/TicTacToe-v0`.

- `game_env`: the environment, and the class of each game.
- `tables`: the tables that players sit at, and their opponents.
- `game`: a game in a worker process.
- `worker`: the part that imports TextArena.
- `games.json`: what `scripts/survey_textarena.py` measured of each game, and which games are left
  out, and why.

`getattr` of this module with the name of a game gives its class; 2048 is `Game2048`.
"""

from typing import Any

__all__ = ["GAMES"]

GAMES = (
    "2048", "Alquerque", "Battleship", "Blackjack", "Breakthrough", "Briscola",
    "Chopsticks", "ColonelBlotto", "ConnectFour", "Countdown", "Crosswords", "Crusade",
    "Cryptarithm", "FifteenPuzzle", "FrozenLake", "GameOfPureStrategy", "GermanWhist", "Golf",
    "GuessTheNumber", "HighSociety", "IndianPoker", "IteratedMatchingPennies",
    "IteratedPrisonersDilemma", "IteratedRockPaperScissors", "IteratedTwoThirdsAverage",
    "IteratedUltimatumGame", "KuhnPoker", "LiarsDice", "LightsOut", "LinesOfAction",
    "LogicPuzzle", "MarketEntryGame", "Mastermind", "MemoryGame", "Minesweeper", "NewRecruit",
    "Nim", "Othello", "PegJump", "PigDice", "Poker", "PublicGoodsGame", "QuantumTicTacToe",
    "RushHour", "SantoriniBaseFixed", "SecretMafia", "Secretary", "Set", "SettlersOfCatan",
    "SimpleBlindAuction", "SimpleNegotiation", "SimpleTak", "Slitherlink", "Snake", "Sokoban",
    "SpiteAndMalice", "Stratego", "Sudoku", "Surround", "Taboo", "Tak", "ThreeCardMonte",
    "ThreePlayerGOPS", "ThreePlayerIPD", "ThreePlayerTicTacToe", "TicTacToe", "TowerOfHanoi",
    "TruthAndDeception", "TwoDollar", "UltimateTicTacToe", "WildTicTacToe",
)  # fmt: skip
"""The names of the games."""


def __getattr__(name: str) -> Any:
    name = name.removeprefix("Game") if name == "Game2048" else name
    if name not in GAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from textgym.integrations.textarena.game_env import class_of

    return class_of(name)
