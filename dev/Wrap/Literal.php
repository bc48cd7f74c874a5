<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

use PhpParser\Token;

/**
 * A string literal in quotes, with the places at which it may be split.
 *
 * @internal
 */
final readonly class Literal
{
    /** A shorter piece is no gain. */
    private const LEAST = 12;

    /** So many characters are given up for the end of a sentence, or of a clause. */
    private const SLACK = ['.' => 24, ':' => 24, ';' => 24, ',' => 8];

    /** So many characters behind a literal move with its last piece; more than that has breaks of its own. */
    public const REST = 40;

    public int $end;

    /** @param list<Token> $tokens */
    public function __construct(
        public int $start,
        public int $line,
        public string $text,
        private array $tokens,
    ) {
        $this->end = $start + strlen($text);
    }

    /**
     * @param int $first columns for the first piece, its quotes included
     * @param int $next columns for each other one
     * @param int $rest columns that come behind the last one
     * @return list<string> in quotes; the literal alone where no split helps
     */
    public function pieces(int $first, int $next, int $rest): array
    {
        $content = substr($this->text, 1, -1);
        $places = $this->places();
        $pieces = [];
        $from = 0;
        $rest = min($rest, self::REST);

        while (mb_strlen(substr($content, $from)) + 2 + $rest > ($pieces === [] ? $first : $next)) {
            $to = $this->choose($content, $places, $from, ($pieces === [] ? $first : $next) - 2);

            if ($to === null) {
                break;
            }

            $pieces[] = $this->quoted(substr($content, $from, $to - $from));
            $from = $to;
        }

        return $pieces === [] ? [$this->text] : [...$pieces, $this->quoted(substr($content, $from))];
    }

    /**
     * @param array<int, bool> $places
     * @return ?int where the piece ends that begins there
     */
    private function choose(string $content, array $places, int $from, int $most): ?int
    {
        $fits = static fn (int $to): bool => $to > $from
            && ($length = mb_strlen(substr($content, $from, $to - $from))) <= $most
            && $length >= self::LEAST
            && mb_strlen(substr($content, $to)) >= self::LEAST;
        $words = array_values(array_filter(array_keys($places, true, true), $fits));
        $candidates = $words !== [] ? $words : array_values(array_filter(array_keys($places, false, true), $fits));

        if ($candidates === []) {
            return null;
        }

        $last = max($candidates);
        $clauses = array_filter(
            $candidates,
            static fn (int $to): bool
                => $last - $to <= (self::SLACK[substr(rtrim(substr($content, 0, $to)), -1)] ?? -1),
        );

        return $clauses === [] ? $last : max($clauses);
    }

    /**
     * Where another literal goes on behind this one, a space at its end shows that spaces stand at the ends there.
     *
     * @return array<int, bool> offsets within the quotes: true beside a space, false behind a comma without one
     */
    private function places(): array
    {
        $places = [];
        $offset = -1;
        $behind = str_ends_with(substr($this->text, 0, -1), ' ') ? 1 : 0;

        $depth = 0;

        foreach ($this->tokens as $token) {
            $depth += match ($token->text) {
                '{', '${' => 1,
                '}' => -1,
                default => 0,
            };

            // A text within an expression is another literal's.
            if ($depth === 0 && in_array($token->id, [T_CONSTANT_ENCAPSED_STRING, T_ENCAPSED_AND_WHITESPACE], true)) {
                foreach (str_split($token->text) as $i => $character) {
                    $at = $offset + $i;
                    $before = $at > 0 ? $this->text[$at] : '';

                    // A backslash would escape the quote.
                    if ($character === ' ' && ! in_array($before, ['', ' ', '\\'], true)) {
                        $places[$at + $behind] = true;
                    }

                    if ($before === ',' && $character !== ' ') {
                        $places[$at] = false;
                    }
                }
            }

            $offset += strlen($token->text);
        }

        return $places;
    }

    /** Pint wants single quotes where double ones have no effect. */
    private function quoted(string $piece): string
    {
        $isPlain = preg_match('/\'|(?<!\\\\)(?:\\\\\\\\)*(?:\$|\\\\[^"$\\\\])/', $piece) !== 1;

        if ($this->text[0] === "'" || ! $isPlain) {
            return $this->text[0].$piece.$this->text[0];
        }

        return "'".preg_replace('/\\\\(["$])|(\\\\\\\\)/', '$1$2', $piece)."'";
    }
}
