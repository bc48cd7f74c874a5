<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

/**
 * Words up to the character that ends them: `;` or `{`. A `}`, and the end of the file, which is '', have no words.
 *
 * @internal
 */
final readonly class Statement
{
    /**
     * @param list<string> $words
     * @param list<int> $lines where each word begins
     */
    public function __construct(
        public array $words,
        public array $lines,
        public string $end,
        public SourceSpan $span,
    ) {}
}
