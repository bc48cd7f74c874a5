<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Markdown;

/**
 * A fenced block of a page.
 */
final readonly class CodeBlock
{
    /**
     * @param string $page path from the root of the repository
     * @param int $line of the opening fence, from 1
     * @param string $heading the nearest one above, without its marks
     * @param string $language the word after the fence, or ''
     * @param string $lead the last line of text above; '' if a heading or another block is nearer
     */
    public function __construct(
        public string $page,
        public int $line,
        public string $heading,
        public string $language,
        public string $code,
        public string $lead,
    ) {}

    /** "// routes/api.php" or "<?php // headroom.php" as the first line says to which file the block belongs. */
    public function file(): ?string
    {
        return preg_match('~\A(?:<\?php\s+)?(?://|#) ([\w./-]+\.\w+)(?:\s|$)~', $this->code, $found) === 1
            ? $found[1]
            : null;
    }

    public function place(): string
    {
        return "{$this->page}:{$this->line}";
    }
}
