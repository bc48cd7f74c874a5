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

    /**
     * @return list<CodeBlock> files and settings of the pages whose classes this page uses and does not show: a page
     *     about tests goes on with the code of another one
     */
    public static function before(string $path): array
    {
        $own = MarkdownPage::at($path)->blocks('php');
        $missing = array_diff(
            array_merge(...array_map(self::imported(...), $own)),
            array_merge(...array_map(self::declared(...), $own)),
        );
        $before = [];

        foreach ($missing === [] ? [] : self::followed() as $other) {
            $blocks = MarkdownPage::at($other)->blocks('php');
            $shown = array_merge(...array_map(self::declared(...), $blocks));

            if ($other !== $path && array_intersect($missing, $shown) !== []) {
                $before = [...$before, ...array_filter($blocks, self::isPlaced(...))];
            }
        }

        return $before;
    }

    private static function isPlaced(CodeBlock $block): bool
    {
        return $block->language === 'php' && ! str_starts_with((string) $block->file(), 'tests/')
            && ($block->file() !== null || self::parsed($block)?->shape === PhpShape::Entries);
    }

    /** @return list<string> the application's own classes that a block uses */
    private static function imported(CodeBlock $block): array
    {
        return array_values(array_filter(
            array_keys(self::parsed($block)?->used() ?? []),
            static fn (string $name): bool => str_starts_with($name, 'App\\'),
        ));
    }

    /** @return list<string> classes of a block, in a namespace or not */
    public static function declared(CodeBlock $block): array
    {
        return self::parsed($block)?->declared() ?? [];
    }

    /** @return ?PhpShape null if it is no PHP */
    public static function shape(CodeBlock $block): ?PhpShape
    {
        return self::parsed($block)?->shape;
    }

    private static function parsed(CodeBlock $block): ?PhpCode
    {
        try {
            return PhpCode::parse($block->code);
        } catch (Error) {
            return null;
        }
    }
}
