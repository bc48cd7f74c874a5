<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Documents;

use Headroom\Tests\Architecture\Files;
use Headroom\Tests\Support\Markdown\CodeBlock;
use Headroom\Tests\Support\Markdown\MarkdownPage;
use PhpParser\Error;

/**
 * The pages of the documentation.
 */
final readonly class Pages
{
    /** Pages that a reader follows from top to bottom: each of their blocks runs. */
    private const FOLLOWED = '~\Adocs/(?:install|adding-events|transactions|sampling-and-redaction|models|testing'
        .'|from-laravel-spool|copied-disks|uses/[\w-]+)\.md\z~';

    /** Decisions are not changed when the product is. */
    private const HISTORY = 'docs/adr/';

    /** @return list<string> paths from the root of the repository */
    public static function all(): array
    {
        return ['README.md', ...array_values(array_filter(
            Files::in('docs'),
            static fn (string $path): bool => str_ends_with($path, '.md') && ! str_contains($path, '/node_modules/')
                && ! str_starts_with($path, self::HISTORY),
        ))];
    }

    /** @return list<string> */
    public static function followed(): array
    {
        return array_values(array_filter(
            self::all(),
            static fn (string $path): bool => preg_match(self::FOLLOWED, $path) === 1,
        ));
    }

    /** @return list<string> classes that a page shows in full, with their namespaces */
    public static function classes(): array
    {
        $classes = [];

        foreach (self::all() as $path) {
            foreach (MarkdownPage::at($path)->blocks('php') as $block) {
                $classes = [...$classes, ...self::declared($block)];
            }
        }

        return array_values(array_unique($classes));
    }

    /** @return list<string> classes of a block, in a namespace or not */
    public static function declared(CodeBlock $block): array
    {
        try {
            return PhpCode::parse($block->code)->declared();
        } catch (Error) {
            return [];
        }
    }
}
