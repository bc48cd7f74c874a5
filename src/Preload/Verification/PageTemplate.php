<?php

declare(strict_types=1);

namespace Headroom\Preload\Verification;

/**
 * The parts of a page that all answers without preloading have in common. Where they differ, in a token, a time or a
 * counter, the template has a gap that matches any text.
 *
 * @internal
 */
final readonly class PageTemplate
{
    /** A smaller common part is too little to compare. */
    private const MIN_SHARE = 0.5;

    private const LARGE = 262_144;

    /**
     * @param list<string> $tokens that all answers share
     * @param array<int, true> $gaps positions of tokens that any text may precede; the number of tokens stands for the
     *     end
     */
    private function __construct(private array $tokens, private array $gaps, private int $length) {}

    public static function of(string $body): self
    {
        $tokens = self::tokens($body);

        return new self($tokens, [], strlen($body));
    }

    /** Null if the template and the body have too little in common. */
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

        return strlen(implode('', $tokens)) < self::MIN_SHARE * $this->length ? null : $left;
    }

    /** Matches like a glob pattern with stars: each piece at its first occurrence after the previous piece. */
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

    /** Describes the first place where the body differs, for a message. */
    public function difference(string $body): string
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

        return 'seen after its end: "'.self::excerpt($body, $at).'"';
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

    /** @return list<string> words, and single bytes between them */
    private static function tokens(string $body): array
    {
        // A token takes some hundred bytes of memory, so a large body is compared line by line.
        preg_match_all(strlen($body) > self::LARGE ? '/[^\n]*+\n|[^\n]++/' : '/[A-Za-z0-9_]++|./s', $body, $matches);

        return $matches[0];
    }

    private static function excerpt(string $text, int $from): string
    {
        return ($from > 0 ? '...' : '').mb_scrub(substr($text, $from, 80), 'UTF-8')
            .(strlen($text) > $from + 80 ? '...' : '');
    }
}
