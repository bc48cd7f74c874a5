<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Markdown;

use Headroom\Tests\Architecture\Files;

/**
 * The fenced blocks of a Markdown file of this repository.
 */
final readonly class MarkdownPage
{
    /** @param list<CodeBlock> $blocks in the order of the page */
    private function __construct(public string $path, private array $blocks) {}

    /** @param string $path from the root of the repository */
    public static function at(string $path): self
    {
        return self::fromText($path, Files::read($path));
    }

    public static function fromText(string $path, string $text): self
    {
        $blocks = $code = [];
        $heading = $lead = $language = '';
        $fence = null;
        $strip = $opened = 0;

        foreach (explode("\n", $text) as $number => $line) {
            if ($fence !== null) {
                if (preg_match("/^[ >]*{$fence}`*\\s*$/", $line) === 1) {
                    $blocks[] = new CodeBlock($path, $opened, $heading, $language, implode("\n", $code)."\n", $lead);
                    $fence = null;
                    $lead = '';
                } else {
                    $code[] = self::withoutMargin($line, $strip);
                }
            } elseif (preg_match('/^([ >]*)(`{3,})\s*([\w-]*)/', $line, $opening) === 1) {
                [$strip, $fence, $language] = [strlen($opening[1]), $opening[2], $opening[3]];
                $code = [];
                $opened = $number + 1;
            } elseif (preg_match('/^#{1,6} +(.+?)\s*$/', $line, $found) === 1) {
                $heading = str_replace('`', '', $found[1]);
                $lead = '';
            } elseif (trim($line, " >\t") !== '') {
                $lead = trim($line);
            }
        }

        return new self($path, $blocks);
    }

    /** @return list<CodeBlock> of these languages, or all */
    public function blocks(string ...$languages): array
    {
        return array_values(array_filter(
            $this->blocks,
            static fn (CodeBlock $block): bool => $languages === [] || in_array($block->language, $languages, true),
        ));
    }

    /** @return list<CodeBlock> below a heading, down to the next heading of any level */
    public function under(string $heading): array
    {
        return array_values(array_filter(
            $this->blocks,
            static fn (CodeBlock $block): bool => $block->heading === $heading,
        ));
    }

    /** A block in a list item or a quotation is indented as far as its fence. */
    private static function withoutMargin(string $line, int $width): string
    {
        return trim(substr($line, 0, $width), ' >') === '' ? substr($line, $width) : ltrim($line);
    }
}
