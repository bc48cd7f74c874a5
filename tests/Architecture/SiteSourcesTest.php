<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use UnexpectedValueException;

/**
 * The sources of the documentation's site, without a build of it.
 */
final class SiteSourcesTest extends TestCase
{
    private const SIDEBAR = 'docs/.vitepress/sidebar.json';

    #[Test]
    public function the_sidebar_has_each_page_once(): void
    {
        $listed = self::listed(json_decode(Files::read(self::SIDEBAR), true, flags: JSON_THROW_ON_ERROR));
        $pages = self::pages();

        self::assertSame([], array_values(array_diff($listed, $pages)), 'sidebar.json has pages that are not there.');
        self::assertSame([], array_values(array_diff($pages, $listed)), 'sidebar.json has no entry for these pages.');
        self::assertSame(array_values(array_unique($listed)), $listed);
    }

    #[Test]
    public function the_index_of_checks_has_each_page(): void
    {
        $index = Files::read('docs/checks.md');

        foreach (Files::in('resources/checks') as $page) {
            self::assertStringContainsString("(../{$page})", $index);
        }
    }

    #[Test]
    public function the_lock_file_names_no_registry(): void
    {
        self::assertStringNotContainsString('"resolved"', Files::read('docs/package-lock.json'));
    }

    #[Test]
    public function a_required_package_has_the_pages_and_not_the_site(): void
    {
        $attributes = Files::read('.gitattributes');

        foreach (['.vitepress', 'index.md', 'package.json', 'package-lock.json'] as $name) {
            self::assertStringContainsString("\n/docs/{$name} export-ignore\n", $attributes);
        }

        self::assertStringNotContainsString("\n/docs export-ignore\n", $attributes);
    }

    /** @return list<string> paths from the repository's root */
    private static function listed(mixed $entries): array
    {
        $pages = [];

        foreach (is_array($entries) ? $entries : throw new UnexpectedValueException(self::SIDEBAR) as $entry) {
            $entry = is_array($entry) ? $entry : throw new UnexpectedValueException(self::SIDEBAR);
            if (is_string($entry['page'] ?? null)) {
                $pages[] = $entry['page'];
            }

            array_push($pages, ...self::listed($entry['items'] ?? []));
        }

        return $pages;
    }

    /**
     * @return list<string> what docs/.vitepress/pages.mjs makes pages of, without those that
     *     have a sidebar of their own
     */
    private static function pages(): array
    {
        $patterns = [
            '~^[A-Z_]+\.md$~', '~^docs/(?!index\.md$)[\w-]+\.md$~', '~^docs/uses/[\w-]+\.md$~',
            '~^docs/adr/README\.md$~',
            '~^benchmarks/(?:[\w-]+/)?README\.md$~',
        ];
        $root = array_values(array_filter((array) scandir(Files::root()), is_string(...)));

        return array_values(array_filter(
            [...$root, ...Files::in('docs'), ...Files::in('benchmarks')],
            static function (string $path) use ($patterns): bool {
                foreach ($patterns as $pattern) {
                    if (preg_match($pattern, $path) === 1) {
                        return true;
                    }
                }

                return false;
            },
        ));
    }
}
