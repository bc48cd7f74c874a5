<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * docs/errors.md has the instructions that messages name, in the same five parts each.
 */
final class ErrorPageTest extends TestCase
{
    private const PAGE = 'docs/errors.md';

    private const PARTS = ['What happened', 'Why', 'What to do', 'How to see that it worked', 'What you keep'];

    #[Test]
    public function each_anchor_is_named_by_a_message_and_each_named_one_exists(): void
    {
        self::assertGreaterThan(15, count($this->sections()));
        self::assertEqualsCanonicalizing(array_keys($this->sections()), $this->named());
    }

    #[Test]
    public function each_section_has_its_five_parts_in_order(): void
    {
        foreach ($this->sections() as $anchor => $text) {
            preg_match_all('/^\*\*(.+?)\.\*\*/m', $text, $parts);

            self::assertSame(self::PARTS, $parts[1], $anchor);
            self::assertMatchesRegularExpression('/^1\. /m', $text, "{$anchor} has no steps.");
        }
    }

    /** The instructions for one message are one click away, also where it wraps: it names them last. */
    #[Test]
    public function a_message_names_its_anchor_at_its_end(): void
    {
        $found = 0;

        foreach (Files::php('src') as $path) {
            preg_match_all('/docs\/errors\.md(?:#[\w-]+)?(.{0,2})/', Files::read($path), $links);

            foreach ($links[1] as $behind) {
                self::assertMatchesRegularExpression('/\A\.["\']/', $behind, $path);
                $found++;
            }
        }

        self::assertGreaterThan(20, $found);
    }

    /** @return array<string, string> text by anchor */
    private function sections(): array
    {
        $sections = [];

        foreach (array_slice(explode("\n## ", Files::read(self::PAGE)), 1) as $section) {
            [$anchor, $text] = explode("\n", $section, 2);
            $sections[$anchor] = $text;
        }

        return $sections;
    }

    /** @return list<string> */
    private function named(): array
    {
        $named = [];

        foreach (Files::php('src') as $path) {
            preg_match_all('/docs\/errors\.md#([\w-]+)/', Files::read($path), $anchors);
            array_push($named, ...$anchors[1]);
        }

        return array_values(array_unique($named));
    }
}
