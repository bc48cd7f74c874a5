<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

/**
 * Words up to what ends them. Only what Close and File end has none.
 *
 * @internal
 */
final readonly class Statement
{
    /**
     * @param list<string> $words
     * @param list<int> $lines where each word begins
     * @param int $line where the end stands
     * @param ?SourceSpan $span null where it is not whole
     */
    public function __construct(
        public array $words,
        public array $lines,
        public StatementEnd $end,
        public int $line,
        public ?SourceSpan $span = null,
    ) {}

    /** @param ?int $to the word before which a semicolon is missing; null for the last part */
    public function part(int $from, ?int $to): self
    {
        $length = $to === null ? null : $to - $from;

        return new self(
            array_slice($this->words, $from, $length),
            array_slice($this->lines, $from, $length),
            $to === null ? $this->end : StatementEnd::Semicolon,
            $to === null ? $this->line : $this->lines[$to],
        );
    }
}
