<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

use PhpParser\Token;

/**
 * The tokens of a file without white space, which becomes the glue in front of each.
 *
 * @internal
 */
final readonly class Tokens
{
    /**
     * @param list<int> $ids
     * @param list<string> $texts
     * @param list<string> $glue
     * @param array<int, int> $positions by the parser's index of a token
     */
    private function __construct(
        public array $ids,
        public array $texts,
        public array $glue,
        private array $positions,
    ) {}

    /** @param array<Token> $parsed */
    public static function of(array $parsed): self
    {
        $ids = $texts = $glue = $positions = [];
        $space = '';

        foreach (array_values($parsed) as $index => $token) {
            if ($token->id === T_WHITESPACE) {
                $space .= $token->text;

                continue;
            }

            $positions[$index] = count($ids);
            $ids[] = $token->id;
            // The parser ends its list with a token of one null byte, which holds the white space at the end here.
            $texts[] = $token->id === 0 ? '' : $token->text;
            $glue[] = $space;
            // `<?php` has the white space behind it in its text.
            $space = $token->id === T_OPEN_TAG ? substr($token->text, strlen(rtrim($token->text))) : '';
            $texts[count($texts)
                - 1] = substr($texts[count($texts) - 1], 0, strlen($texts[count($texts) - 1]) - strlen($space));
        }

        return new self($ids, $texts, $glue, $positions);
    }

    public function count(): int
    {
        return count($this->ids);
    }

    public function position(int $index): int
    {
        return $this->positions[$index];
    }

    public function isComment(int $position): bool
    {
        return in_array($this->ids[$position] ?? 0, [T_COMMENT, T_DOC_COMMENT], true);
    }

    public function next(int $position): int
    {
        do {
            $position++;
        } while ($this->isComment($position));

        return $position;
    }

    public function previous(int $position): int
    {
        do {
            $position--;
        } while ($this->isComment($position));

        return $position;
    }

    public function is(int $position, string ...$texts): bool
    {
        return in_array(strtolower($this->texts[$position] ?? ''), $texts, true);
    }
}
