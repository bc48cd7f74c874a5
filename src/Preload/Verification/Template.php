<?php

declare(strict_types=1);

namespace Headroom\Preload\Verification;

/**
 * What stays the same from one answer of a page to the next. Where answers without preloading differ, a token, a time,
 * a counter, there is a gap that anything fits into.
 *
 * @internal
 */
final readonly class Template
{
    /** Of an answer of which less stays the same nothing can be said. */
    private const LEAST_SHARE = 0.5;

    private const LARGE = 262_144;

    /**
     * @param list<string> $tokens that stay
     * @param array<int, true> $gaps before which of them, and behind the last, something may stand
     */
    private function __construct(private array $tokens, private array $gaps, private int $length) {}

    public static function of(string $body): self
    {
        $tokens = self::tokens($body);

        return new self($tokens, [], strlen($body));
    }

    /** Null when the two have too little in common. */
    public function with(string $body): ?self
    {
        if ($this->fits($body)) {
            return $this;
        }

        $other = self::tokens($body);
        $pairs = Diff::common($this->tokens, $other);

        if ($pairs === null) {
            return null;
        }

        $tokens = [];
        $gaps = [];
        [$lastA, $lastB] = [-1, -1];

        foreach ([...$pairs, [count($this->tokens), count($other)]] as [$a, $b]) {
            $hasGap = $a > $lastA + 1 || $b > $lastB + 1 || isset($this->gaps[$a]);
            $gaps += $hasGap ? [count($tokens) => true] : [];

            if ($a < count($this->tokens)) {
                $tokens[] = $this->tokens[$a];
            }

            [$lastA, $lastB] = [$a, $b];
        }

        $left = new self($tokens, $gaps, $this->length);

        return strlen(implode('', $tokens)) < self::LEAST_SHARE * $this->length ? null : $left;
    }

    /** As a shell's pattern with stars: each piece at the first place behind the one before. */
    public function fits(string $body): bool
    {
        $pieces = $this->pieces();
        $last = count($pieces) - 1;

        if ($last === 0) {
            return $body === $pieces[0];
        }

        if (
            ! str_starts_with($body, $pieces[0])
            || ! str_ends_with($body, $pieces[$last])
            || strlen($body) < strlen($pieces[0]) + strlen($pieces[$last])
        ) {
            return false;
        }

        $at = strlen($pieces[0]);
        $end = strlen($body) - strlen($pieces[$last]);

        foreach (array_slice($pieces, 1, -1) as $piece) {
            $found = strpos($body, $piece, $at);

            if ($found === false || $found + strlen($piece) > $end) {
                return false;
            }

            $at = $found + strlen($piece);
        }

        return true;
    }

    /** What stands where the body departs from it, for a person to look at: "expected", "seen". */
    public function departure(string $body): string
    {
        $at = 0;

        foreach ($this->pieces() as $number => $piece) {
            $found = $number === 0 ? (str_starts_with($body, $piece) ? 0 : false) : strpos($body, $piece, $at);

            if ($found === false) {
                $same = strspn($piece ^ substr($body, $at), "\0");
                $from = max(0, $same - 20);

                return 'expected "'.self::excerpt($piece, $from).'", seen "'.self::excerpt($body, $at + $from).'"';
            }

            $at = $found + strlen($piece);
        }

        return 'seen behind its end: "'.self::excerpt($body, $at).'"';
    }

    /** @return non-empty-list<string> between the gaps */
    private function pieces(): array
    {
        $pieces = [];
        $piece = '';

        foreach ($this->tokens as $i => $token) {
            if (isset($this->gaps[$i])) {
                $pieces[] = $piece;
                $piece = '';
            }

            $piece .= $token;
        }

        $pieces[] = $piece;

        return isset($this->gaps[count($this->tokens)]) ? [...$pieces, ''] : $pieces;
    }

    /** @return list<string> words, and every other byte by itself */
    private static function tokens(string $body): array
    {
        // Some hundred bytes for each: of a large body whole lines are compared, and of one without lines all.
        preg_match_all(strlen($body) > self::LARGE ? '/[^\n]*+\n|[^\n]++/' : '/[A-Za-z0-9_]++|./s', $body, $matches);

        return $matches[0];
    }

    private static function excerpt(string $text, int $from): string
    {
        return ($from > 0 ? '...' : '').mb_scrub(substr($text, $from, 80), 'UTF-8')
            .(strlen($text) > $from + 80 ? '...' : '');
    }
}
