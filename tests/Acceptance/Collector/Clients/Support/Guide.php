<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Clients\Support;

use Headroom\Tests\Architecture\Files;
use PHPUnit\Framework\Assert;

/**
 * Reads the pages of the collector, so that a test can follow their instructions.
 */
final readonly class Guide
{
    public const PAGES = [
        'docs/collector.md', 'docs/collector-formats.md', 'docs/collector-keys.md', 'docs/collector-operation.md',
    ];

    /** One page behind the other; a heading that a test names is on one of them. */
    public string $text;

    public function __construct()
    {
        $this->text = implode("\n", array_map(Files::read(...), self::PAGES));
    }

    /** @return list<string> blocks of a language below a heading, as they stand there */
    public function examples(string $heading, string $language): array
    {
        preg_match_all("/^```{$language}\n(.*?)^```$/ms", $this->section($heading), $blocks);
        Assert::assertNotSame(
            [],
            $blocks[1],
            "The pages of the collector have no example in {$language} below '{$heading}'.",
        );

        return $blocks[1];
    }

    /** @return list<array{string, ?string}> commands below a heading, and what they print where it is shown */
    public function commands(string $heading): array
    {
        preg_match_all(
            "/^```shell\n(.*?)^```$(?:\n\nThe response:\n\n^```json\n(.*?)^```$)?/ms",
            $this->section($heading),
            $blocks,
            PREG_SET_ORDER,
        );
        Assert::assertNotSame([], $blocks, "The pages of the collector have no command below '{$heading}'.");

        return array_map(static fn (array $block): array => [$block[1], $block[2] ?? null], $blocks);
    }

    /** @return list<list<string>> cells of the rows below a heading whose first one is code */
    public function table(string $heading): array
    {
        preg_match_all('/^\| (`[^|]*) \|(.*)\|$/m', $this->section($heading), $rows, PREG_SET_ORDER);

        return array_map(
            static fn (array $row): array => [trim($row[1], '` '), ...array_map(trim(...), explode('|', $row[2]))],
            $rows,
        );
    }

    private function section(string $heading): string
    {
        Assert::assertSame(
            1,
            preg_match('/^(#+) '.preg_quote($heading, '/').'\n(.*?)(?=^#{1,\1} |\z)/ms', $this->text, $found),
            "The pages of the collector have no heading '{$heading}'.",
        );
        $level = strlen($found[1]);
        preg_match(
            '/^#{'.$level.'} '.preg_quote($heading, '/')."\n(.*?)(?=^#{1,{$level}} |\z)/ms",
            $this->text,
            $section,
        );

        return $section[1] ?? '';
    }
}
