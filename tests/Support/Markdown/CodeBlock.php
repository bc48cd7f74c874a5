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

    /**
     * "// routes/api.php", "# .env", "<?php // headroom.php" or "<!-- phpunit.xml -->" as the first line says to which
     * file the block belongs. "…" in a name of a migration stands for its time.
     */
    public function file(): ?string
    {
        $comment =
            '~\A(?:<\?php\s+)?(?://|#|;|<!--|\{\{--) ((?:[\w-][\w./-]*)?(?:…|\.\.\.)?[\w-]*\.[a-z]+)(?:,|\s|$)~u';

        return preg_match($comment, $this->code, $found) === 1 ? $found[1] : null;
    }

    /** "// config/logging.php, in 'channels'" names the key to which the entries belong. */
    public function key(): ?string
    {
        return preg_match('~\A//\s\S+, in \'([\w.-]+)\'~', $this->code, $found) === 1 ? $found[1] : null;
    }

    public function place(): string
    {
        return "{$this->page}:{$this->line}";
    }
}
