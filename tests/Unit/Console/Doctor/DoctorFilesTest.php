<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Console\Doctor;

use Headroom\Console\Doctor\DoctorReport;
use Headroom\Console\Doctor\Html;
use Headroom\Console\Doctor\HtmlReport;
use Headroom\Console\Doctor\SarifReport;
use Headroom\Doctor\CheckResult;
use Headroom\Doctor\CheckText;
use Headroom\Doctor\Edit;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Report;
use Headroom\Doctor\Severity;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * What others wrote into configurations comes out of them as text, wherever a finding is shown.
 */
#[Group('snapshot')]
final class DoctorFilesTest extends TestCase
{
    private const HOSTILE = "<img src=x onerror=alert(1)> \x1b[31m\xff";

    #[Test]
    public function sarif_points_at_the_lines(): void
    {
        /**
         * @var array{
         *     runs: list<array{
         *         results: list<array{level: string, message: array{text: string}, locations: list<mixed>}>,
         *     }>,
         * } $sarif
         */
        $sarif = json_decode((new SarifReport(self::diagnosis()))->text(), true, flags: JSON_THROW_ON_ERROR);

        self::assertSame(
            [
                ['physicalLocation' => [
                    'artifactLocation' => ['uri' => 'file:///etc/nginx/nginx.conf'],
                    'region' => ['startLine' => 12],
                ]],
                ['physicalLocation' => [
                    'artifactLocation' => ['uri' => 'config/cache.php'],
                    'region' => ['startLine' => 3],
                ]],
            ],
            $sarif['runs'][0]['results'][0]['locations'],
        );
        self::assertSame('error', $sarif['runs'][0]['results'][0]['level']);
        self::assertStringContainsString('Mend it.', $sarif['runs'][0]['results'][0]['message']['text']);
    }

    #[Test]
    public function a_page_for_a_browser_has_no_markup_but_its_own(): void
    {
        $html = (new HtmlReport(self::diagnosis(), 'now'))->text();

        self::assertStringNotContainsString('<img', $html);
        self::assertStringContainsString('&lt;img src=x onerror=alert(1)&gt;', $html);
        self::assertStringContainsString("default-src 'none'", html_entity_decode($html));
        self::assertStringContainsString('- keepalive 30;', $html);
        self::assertTrue(mb_check_encoding($html, 'UTF-8'));
        self::assertSame(
            "\tfastcgi_pass &quot;ä&quot;;\n\\e[1m",
            Html::text("\tfastcgi_pass \"ä\";\n\e[1m"),
            'What is copied from the page is what was meant.',
        );
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
        $verdicts = [];

        foreach ([
            ['R4', Severity::High, 'cache'],
            ['F9', Severity::Low, ''],
            ['R4', Severity::High, 'default'],
            ['N5', Severity::Critical, ''],
        ] as [$id, $severity, $subject]) {
            $verdicts[] = new CheckResult(
                new CheckText($id, 'A title of '.str_repeat('many words ', 9), $severity, Layer::Nginx, 'Why.', [
                    'https://nginx.org/',
                ]),
                Finding::warn('It stalls.', [], 'Requests wait.', new Fix('Mend it.'))->about($subject),
            );
        }

        $lines = (new DoctorReport(new Report($verdicts), false))->lines();
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

        $three = (new DoctorReport(new Report(array_slice($verdicts, 1)), false))->lines();
        self::assertSame(
            [],
            preg_grep('/^  (CRITICAL|HIGH|LOW) +[A-Z]\d+   A title/', $three),
            'Three are on the screen still.',
        );
    }

    private static function diagnosis(): Report
    {
        $rule = new CheckText('N5', 'Something stalls', Severity::Critical, Layer::Nginx, 'Why.', [
            'https://nginx.org/',
        ]);

        return new Report([
            new CheckResult(
                $rule,
                Finding::fail(
                    'It stalls: '.self::HOSTILE,
                    [
                        new Evidence('keepalive', self::HOSTILE, '/etc/nginx/nginx.conf:12'),
                        new Evidence('x', '1', 'INFO of tcp://h'),
                        new Evidence('y', '2', 'config/cache.php:3'),
                    ],
                    'Requests wait.',
                    new Fix(
                        'Mend it.',
                        [Edit::replace('/etc/nginx/nginx.conf', 12, 'keepalive 30;', str_repeat('long ', 40).'line')],
                        ['true'],
                        'Back.',
                    ),
                )->about('pool '.self::HOSTILE),
            ),
            new CheckResult($rule, Finding::pass('well')),
        ]);
    }
}
