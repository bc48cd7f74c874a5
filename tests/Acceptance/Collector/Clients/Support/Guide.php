<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Clients\Support;

use PHPUnit\Framework\Assert;

/**
 * Reads docs/collector.md, so that a test can follow its instructions.
 */
final readonly class Guide
{
    private string $text;

    public function __construct()
    {
        $this->text = (string) file_get_contents(dirname(__DIR__, 5).'/docs/collector.md');
    }

    /** @return list<string> blocks of a language below a heading, as they stand there */
    public function examples(string $heading, string $language): array
    {
        preg_match_all("/^```{$language}\n(.*?)^```$/ms", $this->section($heading), $blocks);
        Assert::assertNotSame([], $blocks[1], "docs/collector.md has no example in {$language} below '{$heading}'.");

        return $blocks[1];
    }

    /** @return list<array{string, ?string}> commands below a heading, and what they print where it is shown */
    public function commands(string $heading): array
    {
        preg_match_all(
            "/^```bash\n(.*?)^```$(?:\n\n(?:The response:\n\n)?^```json\n(.*?)^```$)?/ms",
            $this->section($heading),
            $blocks,
            PREG_SET_ORDER,
        );
        Assert::assertNotSame([], $blocks, "docs/collector.md has no command below '{$heading}'.");

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
            preg_match('/^(#+) '.preg_quote($heading, '/').'\n(.*?)(?=^#{2,\1} |\z)/ms', $this->text, $found),
            "docs/collector.md has no heading '{$heading}'.",
        );
        $level = strlen($found[1]);
        preg_match(
            '/^#{'.$level.'} '.preg_quote($heading, '/')."\n(.*?)(?=^#{2,{$level}} |\z)/ms",
            $this->text,
            $section,
        );

        return $section[1] ?? '';
    }
}
