<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Report;

use GlobIterator;
use Headroom\Console\Doctor\DoctorPage;
use Headroom\Doctor\CheckResult;
use Headroom\Doctor\CheckText;
use Headroom\Doctor\Edit;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Report;
use Headroom\Doctor\Severity;
use Headroom\Process\TemporaryDirectory;
use Headroom\Report\ReportPage;
use Headroom\Tests\Acceptance\Charts\Browser;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Text stays in its box and words stay whole, on screens of two widths, in both themes and on paper.
 *
 * @phpstan-import-type Seen from Browser
 */
final class LayoutTest extends TestCase
{
    private const HOSTILE = '</script><script>alert(1)</script><img src=x onerror=alert(2)>"\' onload=x &amp; {data}';

    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('layout');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    /** @return iterable<string, array{string}> */
    public static function texts(): iterable
    {
        $directories = implode('/', array_fill(0, 12, 'customers-of-the-house'));
        yield 'a long path' => ["/srv/www/{$directories}/php-fpm.conf:112"];
        yield 'a command of 300 characters' => [substr(str_repeat('systemctl reload nginx.service && ', 10), 0, 300)];
        yield 'no place to wrap' => [str_repeat('x', 300)];
        yield 'Unicode' => [str_repeat('Größenänderung 重新加载配置 🚀 ', 12).str_repeat('漢', 120)];
        yield 'settings' => ['worker_processes, worker_connections and request_slowlog_timeout of the pool'];
        yield 'markup' => [self::HOSTILE];
        yield 'control characters' => ["\e[31mred\e[0m \u{202e}right to left\0 \xff"];
    }

    #[Test]
    #[DataProvider('texts')]
    public function a_text_in_every_field_stays_in_its_box(string $text): void
    {
        $this->check((new DoctorPage(self::diagnosis($text), $text))->page()->html());
    }

    #[Test]
    #[DataProvider('texts')]
    public function a_text_in_every_field_of_a_load_report_stays_in_its_box(string $text): void
    {
        $this->check(ReportPage::html('Load', self::loadRun($text)));
    }

    /** @return iterable<string, array{string}> */
    public static function benchmarks(): iterable
    {
        $pages = dirname(__DIR__, 3).'/benchmarks/results/*.html';

        foreach (new GlobIterator($pages, GlobIterator::CURRENT_AS_PATHNAME) as $file) {
            yield basename((string) $file, '.html') => [(string) $file];
        }
    }

    #[Test]
    #[DataProvider('benchmarks')]
    public function text_of_a_benchmark_page_stays_in_its_box(string $file): void
    {
        $this->check((string) file_get_contents($file));
    }

    private function check(string $html): void
    {
        $seen = $this->look($html);

        self::assertSame([[], []], [$seen['errors'], $seen['elsewhere']]);

        foreach ($seen['layouts'] as $name => $layout) {
            self::assertGreaterThan(10, $layout['words'], $name);
            self::assertSame(
                [0, [], [], []],
                [$layout['overflow'], $layout['wide'], $layout['outside'], $layout['broken']],
                $name,
            );
        }

        foreach ($seen['pages'] as $name => $page) {
            self::assertGreaterThan(10, $page['told'], $name);
            self::assertSame([0, []], [$page['foreign'], $page['faint']], $name);
        }
    }

    #[Test]
    public function of_ten_thousand_findings_the_page_shows_the_most_urgent_and_says_so(): void
    {
        $one = self::diagnosis('pool')->problems()[0];
        $page = (new DoctorPage(new Report(array_fill(0, 10_000, $one)), 'now'))->page();
        $file = $this->directory->file('many.html');
        file_put_contents($file, $page->html());
        $seen = Browser::look("file://{$file}", [['page' => 'narrow'], ['layout' => 'narrow']], 390);

        self::assertSame([], $seen['errors']);
        self::assertStringContainsString('500 most urgent of 10000', $seen['pages']['narrow']['text']);
        self::assertCount(501, $seen['pages']['narrow']['sections']);
        self::assertSame(
            [0, [], []],
            [
                $seen['layouts']['narrow']['overflow'],
                $seen['layouts']['narrow']['outside'],
                $seen['layouts']['narrow']['broken'],
            ],
        );
    }

    /** @return Seen */
    private function look(string $html): array
    {
        $file = $this->directory->write('page.html', $html);

        return Browser::look("file://{$file}", [
            ['click' => 'summary'],
            ['layout' => 'wide'], ['page' => 'wide'],
            ['dark' => true], ['page' => 'wide and dark'],
            ['resize' => 390], ['layout' => 'narrow'], ['page' => 'narrow and dark'],
            ['dark' => false], ['page' => 'narrow'],
            // A4 at 96 dots an inch.
            ['resize' => 794], ['print' => true], ['layout' => 'print'],
        ]);
    }

    /** @return array<string, mixed> the data of a run in which everything happened */
    private static function loadRun(string $text): array
    {
        $latency = ['count' => 98_765, 'max' => 8_000_000] + array_fill_keys(
            ['min', 'mean', 'p50', 'p90', 'p95', 'p99', 'p99_9'],
            123_456,
        );
        $slots = array_map(static fn (int $second): array => [
            'from_s' => $second * 60, 'seconds' => 60.0, 'sent' => 98_765, 'succeeded' => 90_000, 'in_flight' => 1_000,
            'errors' => ['http_error' => 8_000, 'timeout' => 765], 'latency_us' => $latency,
        ], range(0, 59));
        $step = [
            'step' => $text, 'sent' => 98_765, 'succeeded' => 90_000, 'unfinished' => 1_000,
            'errors' => ['http_error' => 8_000, $text => 765], 'latency_us' => $latency,
        ];

        return [
            'title' => $text, 'finished_at' => '2026-01-31T14:00:00+00:00', 'timeline' => $slots,
            'losses' => [$text], 'breaches' => [$text], 'warnings' => [$text, $text], 'lost' => [$text],
            'error_rate' => 0.0887, 'requests_per_second' => 98_765.4, 'sent' => 5_925_900, 'seconds' => 3_600.0,
            'latency_us' => array_fill_keys(['succeeded', 'answered', 'with_timeouts', 'service'], $latency),
            'percentiles' => [[50.0, 123_456], [99.9, 8_000_000], [100.0, 8_000_000]],
            'scenario' => [
                'begun' => 98_765, 'completed' => 90_000, 'failed' => 8_000, 'unfinished' => 765,
                'steps' => [$step, $step],
            ],
            'replay' => [
                'lines' => 98_765, 'requests' => 90_000, 'left_out' => [$text => 8_000], 'unreadable' => [$text => 765],
            ],
            'failures' => [['kind' => 'timeout', 'message' => $text], ['kind' => 'http_error', 'message' => $text]],
            'plan' => [
                'model' => 'open', 'requests' => null, 'duration_s' => 3_600, 'concurrency' => 1_000, 'processes' => 8,
                'timeout_s' => 8, 'pause_s' => 0.5, 'error_status' => '4xx,5xx', 'expect_status' => null,
                'expect_body' => $text, 'scenario' => $text, 'replay' => $text, 'speed' => '2',
                'stages' => [
                    ['from' => 0, 'to' => 1_000, 'seconds' => 1_800], ['from' => 1_000, 'to' => 0, 'seconds' => 1_800],
                ],
            ],
            'schedule' => ['late' => 98_765, 'dropped' => 8_000], 'unfinished' => 765, 'connections_opened' => 1_000,
            'client' => ['cpu_share' => 0.987],
        ];
    }

    private static function diagnosis(string $text): Report
    {
        $check = new CheckText('N5', "A title: {$text}", Severity::Critical, Layer::Nginx, 'Why.', [
            'https://nginx.org/',
        ]);
        $evidence = [new Evidence($text, $text, $text), new Evidence('worker_processes', '8', 'nginx -T')];
        $edits = [Edit::replace("/etc/{$text}", 12, $text, $text), Edit::append('/etc/sysctl.conf', $text)];
        $fix = new Fix($text, $edits, [$text], $text);

        return new Report([
            new CheckResult($check, Finding::fail($text, $evidence, $fix, $text)->about($text)),
            new CheckResult($check, Finding::warn($text, $evidence, $fix, $text)),
            new CheckResult($check, Finding::pass($text)->about($text)),
            new CheckResult($check, Finding::unknown($text, $text)),
        ]);
    }
}
