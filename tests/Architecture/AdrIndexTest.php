<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * docs/adr/README.md lists each decision with its title, its date and its status.
 */
final class AdrIndexTest extends TestCase
{
    private const ROW = '~^\| \[(\d+)\. ([^]]+)]\((\d{4}-[a-z0-9-]+\.md)\) \| \d{4}-\d{2}-\d{2} \| '
        .'(?:accepted|superseded by \d+) \|$~m';

    private const TEMPLATE = '0000-template.md';

    #[Test]
    public function each_decision_has_a_row_with_its_title(): void
    {
        preg_match_all(self::ROW, Files::read('docs/adr/README.md'), $rows, PREG_SET_ORDER);
        $listed = $written = [];

        foreach ($rows as [, $number, $title, $file]) {
            $listed[$file] = "# {$number}. {$title}";
        }

        foreach ((array) glob(Files::root().'/docs/adr/[0-9]*.md') as $path) {
            $file = basename((string) $path);

            if ($file !== self::TEMPLATE) {
                $written[$file] = strtok(Files::read("docs/adr/{$file}"), "\n");
                self::assertStringStartsWith('# '.(int) $file.'. ', (string) $written[$file]);
            }
        }

        self::assertGreaterThan(30, count($written));
        self::assertSame($written, $listed);
    }
}
