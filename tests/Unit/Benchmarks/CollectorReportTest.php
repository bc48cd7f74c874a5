<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks;

use DOMDocument;
use Headroom\Benchmarks\Collector\Report\Page;
use Headroom\Benchmarks\Collector\Report\Part;
use Headroom\Benchmarks\Collector\Report\ResultsFile;
use Headroom\Benchmarks\Collector\Report\UnableToReadResults;
use Headroom\Tests\Support\CollectorResults;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class CollectorReportTest extends TestCase
{
    #[Test]
    public function an_aim_that_is_just_reached_is_reached(): void
    {
        $page = self::page(CollectorResults::whole());

        self::assertStringContainsString('<h2>Aims: 31 reached, 0 missed, 0 not measured</h2>', $page);
        self::assertSame([31, 0], [substr_count($page, '✓ reached'), substr_count($page, '✗ missed')]);
        self::assertStringNotContainsString('not measured</td>', $page);
    }

    /** One figure that is a little too bad for each aim. */
    #[Test]
    #[DataProvider('misses')]
    public function an_aim_that_is_missed_is_said_to_be_missed_with_what_was_measured(string $path, float|int $value, string $words): void
    {
        $page = self::page(CollectorResults::whole()->with($path, $value));

        self::assertStringContainsString('<h2>Aims: 30 reached, 1 missed, 0 not measured</h2><p>Missed:</p>', $page);
        self::assertStringContainsString("{$words}</li>", $page);
        self::assertSame(1, substr_count($page, '✗ missed'));
        self::assertNotSame($page, self::page(CollectorResults::whole()));
    }

    /** @return iterable<string, array{string, float|int, string}> */
    public static function misses(): iterable
    {
        yield 'hello at 100' => ['hello/figures/100/collector_vs_fpm/median', 2.49, '100 connections: one worker / stack A with both cores: 2.49 ×, aim ≥ 2.50 ×'];
        yield 'hello at 1,000' => ['hello/figures/1000/collector_vs_fpm/median', 2.99, '2.99 ×, aim ≥ 3.00 ×'];
        yield 'hello, p99' => ['hello/figures/1000/sides/collector/p99_ms/median', 151.0, '151 ms, aim ≤ 150 ms'];
        yield 'hello, errors' => ['hello/result/errors', 1, '1, aim 0'];
        yield 'slow, share' => ['slow/figures/ideal_share', 0.949, '94.9 %, aim ≥ 95.0 %'];
        yield 'slow, the others' => ['slow/figures/acks_beside/p99_ms', 1050.0, 'meanwhile: 1.05 s, aim ≤ 50.0 ms'];
        yield 'slow, refused' => ['slow/figures/collector/refused', 3, 'Errors of stack X: 3, aim 0'];
        yield 'slow, broken' => ['slow/figures/collector/broken', 3, 'Errors of stack X: 3, aim 0'];
        yield 'durable, single' => ['durable/figures/power_1/events_per_second/median', 14_999.0, '14,999/s, aim ≥ 15,000/s'];
        yield 'durable, batches' => ['durable/figures/power_100/events_per_cpu_second/median', 299_999.0, '299,999, aim ≥ 300,000'];
        yield 'durable, lost' => ['durable/result/lost', 1, '1, aim 0'];
        yield 'drain' => ['drain/figures/documents_per_second/median', 19_999.0, '19,999/s, aim ≥ 20,000/s'];
        yield 'drain, double' => ['drain/figures/double', 1, 'Double in the index: 1, aim 0'];
        yield 'down' => ['down/figures/down_vs_up/median', 0.94, '0.94 ×, aim ≥ 0.95 ×'];
        yield 'down, lost' => ['down/result/lost', 2, '2, aim 0'];
        yield 'reload, too few' => ['reload/figures/reloads', 19, '19, aim ≥ 20'];
        yield 'reload, failed' => ['reload/figures/failed', 1, '1, aim 0'];
        yield 'kill, lost' => ['kill/figures/lost', 1, '1, aim 0'];
        yield 'connections' => ['connections/figures/many/broken', 1, '1, aim 0'];
        yield 'connections, after' => ['connections/figures/after/refused', 1, '1, aim 0'];
        yield 'lane' => ['lane/figures/rate/median', 7.99, '7.99 ×, aim ≥ 8.00 ×'];
        yield 'lane, p99' => ['lane/figures/p99/median', 0.21, '0.21 ×, aim ≤ 0.20 ×'];
    }

    /** A figure that the page has in charts and tables of its own. */
    #[Test]
    #[TestWith(['figures/figures/slow_x/9/requests_per_second', 321.0, '<td>321</td>'])]
    #[TestWith(['figures/figures/slow_a/0/p95_ms', 77_777.0, '<td>77,777</td>'])]
    #[TestWith(['figures/figures/log_a/4/broken', 43, '500 users: 200 requests/s, 43 errors</title>'])]
    #[TestWith(['figures/figures/hello_x/9/p50_ms', 1234.0, 'half of them within 1.23 s'])]
    #[TestWith(['lane/figures/rate/spread', 0.87, "spread 87\u{a0}%, 9\u{a0}rounds"])]
    #[TestWith(['lane/machine', ['commit' => 'fff9999-dirty', 'date' => '2031-01-01'], 'commit fff9999-dirty, 2031-01-01, unknown'])]
    public function what_is_in_the_results_is_on_the_page(string $path, mixed $value, string $words): void
    {
        self::assertStringNotContainsString($words, self::page(CollectorResults::whole()));
        self::assertStringContainsString($words, self::page(CollectorResults::whole()->with($path, $value)));
    }

    #[Test]
    public function a_line_of_a_chart_moves_with_its_figure(): void
    {
        $lines = static fn (CollectorResults $results): array => preg_match_all('/class="line" d="([^"]+)"/', self::page($results), $m) > 0 ? $m[1] : [];
        $whole = $lines(CollectorResults::whole());
        $other = $lines(CollectorResults::whole()->with('figures/figures/slow_x/5/requests_per_second', 20.0));

        self::assertCount(count($whole), $other);
        self::assertCount(1, array_diff_assoc($whole, $other));
    }

    #[Test]
    public function parts_that_were_not_measured_are_named(): void
    {
        $page = self::page(CollectorResults::whole()->without('kill', 'figures'));

        self::assertStringContainsString('Parts that are not measured in these results: kill, figures.', $page);
        self::assertStringContainsString('Aims: 29 reached, 0 missed, 2 not measured', $page);
        self::assertSame(4, substr_count($page, '– not measured</td>'));
        self::assertSame(3, substr_count($page, 'Not measured: stack X and stack A. '));
        self::assertStringNotContainsString('<figure', $page);
    }

    #[Test]
    public function one_stack_alone_is_shown_and_the_other_named(): void
    {
        $page = self::page(CollectorResults::whole()->with('figures/figures/slow_a', []));

        self::assertSame(1, substr_count($page, 'Not measured: stack A. '));
        self::assertSame(6, substr_count($page, '<figure'));
    }

    #[Test]
    public function a_step_of_refusals_has_no_response_time(): void
    {
        $of = static fn (int $refused): string => self::page(CollectorResults::whole()->with('figures/figures/slow_a/9/refused', $refused)->with('figures/figures/slow_a/9/p50_ms', 0.25));

        self::assertStringContainsString('stack A 10 requests/s, half of them within 0.250 ms, 499 errors', $of(499));
        self::assertStringContainsString('stack A 10 requests/s, hardly an answer, 500 errors', $of(500));
    }

    #[Test]
    public function a_quick_run_says_so(): void
    {
        self::assertStringContainsString('A quick run', (string) (new Page(ResultsFile::fromJson('x.json', CollectorResults::whole()->json(isQuick: true))))->draw());
        self::assertStringNotContainsString('A quick run', self::page(CollectorResults::whole()));
    }

    #[Test]
    public function whatever_the_results_say_is_text(): void
    {
        $evil = '</style></title><script>alert(1)</script>"\'><img src=x onerror=alert(1)>';
        $results = CollectorResults::whole()->with('lane/machine', ['cpu' => $evil, 'cores' => $evil, 'kernel' => $evil, 'php' => $evil, 'commit' => $evil, 'date' => $evil, 'ini' => [$evil => $evil]]);
        $page = (string) (new Page(ResultsFile::fromJson("{$evil}.json", $results->json())))->draw();

        self::assertStringNotContainsString('<script', $page);
        self::assertStringNotContainsString('<img', $page);
        self::assertStringContainsString('&lt;script&gt;', $page);
    }

    #[Test]
    public function elements_are_closed_and_ids_unique(): void
    {
        $page = self::page(CollectorResults::whole());
        $document = new DOMDocument;
        self::assertTrue($document->loadXML((string) preg_replace(['/^<!doctype html>\n/', '/<(meta|link)([^>]*)>/', '/<style>.*<\/style>/s'], ['', '<$1$2/>', ''], $page)));
        preg_match_all('/\sid="([^"]+)"/', $page, $ids);
        preg_match_all('/aria-labelledby="([^"]+)"|href="#([^"]+)"/', $page, $named);

        self::assertSame($ids[1], array_unique($ids[1]));
        self::assertSame([], array_diff(explode(' ', implode(' ', [...$named[1], ...$named[2]])), ['', ...$ids[1]]));
    }

    #[Test]
    #[TestWith(['{', 'is not the JSON that a run writes'])]
    #[TestWith(['[]', 'it has no "parts"'])]
    #[TestWith(['{"parts": {"strange": {}}}', 'a part "strange", which the report does not know'])]
    #[TestWith(['{"parts": {"lane": {"figures": {"rate": {"median": 1e999}}}}}', 'lane/figures/rate/median in the results is not a number'])]
    #[TestWith(['{"parts": {"lane": {"figures": {"rate": "fast"}}}}', 'lane/figures/rate in the results is not a number'])]
    #[TestWith(['{"parts": {"reload": {"figures": {"failed": -1}}}}', 'reload/figures/failed in the results is not a number'])]
    #[TestWith(['{"parts": {"figures": {"figures": {"log_x": [{"users": 100}]}}}}', 'figures/log_x/0/requests in the results is not a number'])]
    public function what_can_not_be_read_is_refused(string $json, string $message): void
    {
        $this->expectException(UnableToReadResults::class);
        $this->expectExceptionMessage($message);
        (new Page(ResultsFile::fromJson('some.json', $json)))->draw();
    }

    #[Test]
    public function a_file_that_is_not_there_is_said_to_be_made_by_a_run(): void
    {
        $this->expectExceptionMessage('make bench-collector');
        ResultsFile::read('/nowhere/collector.json');
    }

    #[Test]
    public function each_part_of_a_run_is_in_the_report(): void
    {
        $run = (string) file_get_contents(dirname(__DIR__, 3).'/benchmarks/collector/run.php');
        self::assertSame(1, preg_match("/const PARTS = \['([^]]+)'\];/", $run, $names));

        self::assertSame(explode("', '", $names[1]), array_column(Part::cases(), 'value'));
    }

    private static function page(CollectorResults $results): string
    {
        return (string) (new Page(ResultsFile::fromJson('collector.json', $results->json())))->draw();
    }
}
