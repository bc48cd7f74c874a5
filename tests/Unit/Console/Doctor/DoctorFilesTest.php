<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Console\Doctor;

use Headroom\Console\Doctor\DoctorPage;
use Headroom\Console\Doctor\DoctorReport;
use Headroom\Console\TerminalStyles;
use Headroom\Doctor\CheckResult;
use Headroom\Doctor\CheckText;
use Headroom\Doctor\Edit;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Report;
use Headroom\Doctor\Severity;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Output\BufferedOutput;

/**
 * Text that another user wrote into a configuration is shown as text, wherever a finding appears.
 */
#[Group('snapshot')]
final class DoctorFilesTest extends TestCase
{
    private const HOSTILE = "<img src=x onerror=alert(1)> \x1b[31m\xff";

    #[Test]
    public function a_page_for_a_browser_has_no_markup_but_its_own(): void
    {
        $html = (new DoctorPage(self::diagnosis(), 'now'))->html();
        $page = json_encode(
            (new DoctorPage(self::diagnosis(), 'now'))->page()->toArray(),
            JSON_INVALID_UTF8_SUBSTITUTE,
        );

        self::assertStringNotContainsString('<img', $html);
        self::assertStringContainsString('\u003Cimg src=x onerror=alert(1)\u003E', $html);
        self::assertStringContainsString("default-src 'none'", html_entity_decode($html));
        self::assertStringContainsString('- keepalive 30;', (string) $page);
        self::assertStringNotContainsString("\x1b", $html);
        self::assertTrue(mb_check_encoding($html, 'UTF-8'));
    }

    #[Test]
    public function findings_of_one_check_have_their_own_places_on_the_page(): void
    {
        $result = self::diagnosis()->problems()[0];
        $page = (new DoctorPage(new Report([$result, $result, $result]), 'now'))->page();

        self::assertSame(
            ['summary', 'finding-n5', 'finding-n5-2', 'finding-n5-3'],
            array_column($page->toArray()['sections'], 'id'),
        );
    }

    #[Test]
    public function a_colour_surrounds_text_and_never_changes_it(): void
    {
        $output = new BufferedOutput(decorated: true);
        $painted = (new DoctorReport(self::diagnosis(), true, TerminalStyles::of($output)))->lines();
        $plain = (new DoctorReport(self::diagnosis(), true, TerminalStyles::of(new BufferedOutput)))->lines();

        self::assertStringContainsString("\e[91;1mCRITICAL N5\e[39;22m", $painted[0]);
        self::assertSame($plain, preg_replace('/\e\[[\d;]+m/', '', $painted));
        self::assertSame([], preg_grep('/\e/', $plain));
    }

    #[Test]
    public function a_terminal_gets_no_escape_sequences_and_lines_to_copy_are_not_broken(): void
    {
        $lines = (new DoctorReport(self::diagnosis(), true))->lines();
        $text = implode("\n", $lines);

        self::assertStringNotContainsString("\x1b", $text);
        self::assertContains('    - keepalive 30;', $lines);
        self::assertContains('    + '.str_repeat('long ', 40).'line', $lines);
        self::assertMatchesRegularExpression('/^1 \D+\b1 \D+$/m', $text);
    }

    #[Test]
    public function more_than_three_findings_are_listed_in_short_at_the_end(): void
    {
        $results = [];

        foreach ([
            ['R4', Severity::High, 'cache'],
            ['F9', Severity::Low, ''],
            ['R4', Severity::High, 'default'],
            ['N5', Severity::Critical, ''],
        ] as [$id, $severity, $subject]) {
            $results[] = new CheckResult(
                new CheckText($id, 'A title of '.str_repeat('many words ', 9), $severity, Layer::Nginx, 'Why.', [
                    'https://nginx.org/',
                ]),
                Finding::warn('Requests wait.', [], new Fix('Fix it.'), 'Requests wait.')->about($subject),
            );
        }

        $lines = (new DoctorReport(new Report($results), false))->lines();
        self::assertSame([
            '  CRITICAL N5   A title of many words many words many words many words many w…',
            '  HIGH     R4   A title of many words many words many words many wo… (2 times)',
            '  LOW      F9   A title of many words many words many words many words many w…',
        ], array_slice($lines, -6, 3));
        self::assertStringContainsString('--explain=N5', $lines[count($lines) - 1]);
        Snapshot::assertPrinted(
            'doctor report',
            'four findings in short at the end',
            implode("\n", array_slice($lines, -7)),
        );

        $three = (new DoctorReport(new Report(array_slice($results, 1)), false))->lines();
        self::assertSame(
            [],
            preg_grep('/^  (CRITICAL|HIGH|LOW) +[A-Z]\d+   A title/', $three),
            'Three are on the screen still.',
        );
    }

    #[Test]
    public function checks_that_are_unknown_for_one_reason_keep_their_subjects(): void
    {
        $results = [];

        foreach ([['N5', ''], ['F1', 'pool www'], ['F1', 'pool api'], ['F2', 'pool www'], ['F2', 'pool api']] as [
            $id, $subject,
        ]) {
            $results[] = new CheckResult(
                new CheckText($id, 'A title', Severity::High, Layer::Fpm, 'Why.'),
                Finding::unavailable(FactUnavailable::because('Unread.', 'look'))->about($subject),
            );
        }

        self::assertSame(
            ['unknown N5, F1 F2 (pool www; pool api): Unread.', '    $ look', ''],
            array_slice((new DoctorReport(new Report($results), false))->lines(), 0, 3),
        );
    }

    private static function diagnosis(): Report
    {
        $rule = new CheckText('N5', 'Requests wait', Severity::Critical, Layer::Nginx, 'Why.', [
            'https://nginx.org/',
        ]);

        return new Report([
            new CheckResult(
                $rule,
                Finding::fail(
                    'Requests wait: '.self::HOSTILE,
                    [
                        new Evidence('keepalive', self::HOSTILE, '/etc/nginx/nginx.conf:12'),
                        new Evidence('x', '1', 'INFO of tcp://h'),
                        new Evidence('y', '2', 'config/cache.php:3'),
                    ],
                    new Fix(
                        'Fix it.',
                        [Edit::replace('/etc/nginx/nginx.conf', 12, 'keepalive 30;', str_repeat('long ', 40).'line')],
                        ['true'],
                        'Back.',
                    ),
                    'Requests wait.',
                )->about('pool '.self::HOSTILE),
            ),
            new CheckResult($rule, Finding::pass('well')),
        ]);
    }
}
