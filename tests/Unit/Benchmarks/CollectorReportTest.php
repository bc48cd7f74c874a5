<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks;

use Headroom\Benchmarks\Collector\Report\Page;
use Headroom\Benchmarks\Collector\Report\Part;
use Headroom\Benchmarks\Collector\Report\ResultsFile;
use Headroom\Benchmarks\Collector\Report\UnableToReadResults;
use Headroom\Report\Page\Page as ReportPage;
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
        $page = self::json(CollectorResults::whole());

        self::assertStringContainsString('"title":"Aims: 41 reached, 0 missed, 0 not measured","tone":"good"', $page);
        self::assertSame([41, 0, 0], [substr_count($page, '✓ reached'), substr_count($page, '✗ missed'), substr_count($page, '– not measured')]);
        self::assertSame([], self::alerting(CollectorResults::whole()));
    }

    /**
     * One figure that is a little too bad for each aim.
     *
     * @param non-empty-string $words
     */
    #[Test]
    #[DataProvider('misses')]
    public function an_aim_that_is_missed_is_said_to_be_missed_with_what_was_measured(string $path, float|int $value, string $words): void
    {
        $results = CollectorResults::whole()->with($path, $value);
        $page = self::json($results);

        self::assertStringContainsString('"title":"Aims: 40 reached, 1 missed, 0 not measured","tone":"alert"', $page);
        self::assertSame(1, preg_match('/"headings":\["missed","measured"\],"rows":\[\[\{"text":"([^"]*)","note":"[^"]*","tone":"plain","link":"#([^"]*)"\},\{"text":"([^"]*)","note":"([^"]*)","tone":"alert","link":""\}\]\]/', $page, $miss));
        self::assertStringEndsWith($words, "{$miss[1]}: {$miss[3]}, {$miss[4]}");
        self::assertSame(['part-'.strtok($path, '/'), 1], [$miss[2], substr_count($page, '✗ missed')]);
        self::assertSame(['summary', $miss[2]], self::alerting($results));
    }

    /** @return iterable<string, array{string, float|int, non-empty-string}> */
    public static function misses(): iterable
    {
        yield 'hello at 100' => ['hello/figures/100/collector_vs_fpm/median', 2.49, '100 connections: one worker / stack A with both cores: 2.49x, aim ≥ 2.50x'];
        yield 'hello at 1,000' => ['hello/figures/1000/collector_vs_fpm/median', 2.99, '2.99x, aim ≥ 3.00x'];
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
        yield 'down' => ['down/figures/down_vs_up/median', 0.94, '0.940x, aim ≥ 0.950x'];
        yield 'down, lost' => ['down/result/lost', 2, '2, aim 0'];
        yield 'reload, too few' => ['reload/figures/reloads', 19, '19, aim ≥ 20'];
        yield 'reload, failed' => ['reload/figures/failed', 1, '1, aim 0'];
        yield 'kill, lost' => ['kill/figures/lost', 1, '1, aim 0'];
        yield 'connections' => ['connections/figures/many/broken', 1, '1, aim 0'];
        yield 'connections, after' => ['connections/figures/after/refused', 1, '1, aim 0'];
        yield 'lane' => ['lane/figures/rate/median', 7.99, '7.99x, aim ≥ 8.00x'];
        yield 'lane, p99' => ['lane/figures/p99/median', 0.21, '0.210x, aim ≤ 0.200x'];
    }

    /** A figure that the page has in charts and tables of its own. */
    #[Test]
    #[TestWith(['figures/figures/slow_x/9/requests_per_second', 321.0, '"321"'])]
    #[TestWith(['figures/figures/slow_x/9/requests_per_second', 321.0, '{"text":"321","note":"half within 2.00 s, no errors","tone":"plain","link":""}'])]
    #[TestWith(['figures/figures/slow_a/0/p95_ms', 77_777.0, '[6,77777]'])]
    #[TestWith(['figures/figures/slow_a/0/p99_ms', 66_666.0, '"66.7 s"'])]
    #[TestWith(['figures/figures/log_a/4/broken', 43, '{"x":54,"y":200,"text":"stack A: 43 errors"}'])]
    #[TestWith(['figures/figures/log_a/4/broken', 1, '{"x":54,"y":900,"text":"stack A: 1 error"}'])]
    #[TestWith(['figures/figures/log_a/9/broken', 7, 'within 900 ms, 7 errors","tone":"alert"'])]
    #[TestWith(['figures/figures/hello_x/9/p50_ms', 1234.0, 'half within 1.23 s'])]
    #[TestWith(['lane/figures/rate/spread', 0.87, "spread 87\u{a0}%, median of 9 rounds"])]
    #[TestWith(['lane/machine', ['commit' => 'fff9999-dirty', 'date' => '2031-01-01'], 'Commit fff9999-dirty, 2031-01-01, unknown'])]
    #[TestWith(['lane/machine', ['commit' => 'fff9999-dirty', 'date' => '2031-01-01'], '["lane","fff9999-dirty","2031-01-01"]'])]
    #[TestWith(['lane/machine', ['memory_mb' => 8192], '["memory","8,192 MB"]'])]
    public function what_is_in_the_results_is_on_the_page(string $path, mixed $value, string $words): void
    {
        self::assertStringNotContainsString($words, self::json(CollectorResults::whole()));
        self::assertStringContainsString($words, self::json(CollectorResults::whole()->with($path, $value)));
    }

    #[Test]
    public function a_line_of_a_chart_moves_with_its_figure(): void
    {
        $lines = static fn (CollectorResults $results): array => preg_match_all('/"name":"stack [^"]+","points":(\[\[.+?\]\])/', self::json($results), $m) > 0 ? $m[1] : [];
        $whole = $lines(CollectorResults::whole());
        $other = $lines(CollectorResults::whole()->with('figures/figures/slow_x/5/requests_per_second', 20.0));

        self::assertCount(3 * 6, $whole);
        self::assertSame([6 => '[[6,30],[18,60],[30,90],[42,120],[54,150],[66,20],[78,210],[90,240],[102,270],[114,300]]'], array_diff_assoc($other, $whole));
    }

    #[Test]
    public function a_stack_has_the_same_colour_in_every_chart(): void
    {
        preg_match_all('/"name":"(stack .)[^"]*","points":\[\[.+?\]\],"dashed":(?:true|false),"steps":false,"color":(\d)/', self::json(CollectorResults::whole()), $lines);

        self::assertSame(['stack X0', 'stack A1'], array_values(array_unique(array_map(static fn (string $stack, string $color): string => "{$stack}{$color}", $lines[1], $lines[2]))));
    }

    #[Test]
    public function a_scale_that_is_logarithmic_says_so(): void
    {
        $of = static fn (float $millis): int => substr_count(self::json(CollectorResults::whole()->with('figures/figures/slow_x/0/p50_ms', $millis)), 'Less is better. Logarithmic scale."');

        self::assertSame([2, 1], [$of(0.5), $of(2001.0)]);
    }

    #[Test]
    public function parts_that_were_not_measured_are_named(): void
    {
        $page = self::json(CollectorResults::whole()->without('kill', 'figures'));

        self::assertStringContainsString('Parts that are not measured in these results: kill, figures.', $page);
        self::assertStringContainsString('"title":"Aims: 39 reached, 0 missed, 2 not measured","tone":"plain"', $page);
        self::assertStringContainsString('Not measured: `PART=kill make bench-collector`.', $page);
        self::assertSame(4, substr_count($page, '"– not measured"'));
        self::assertSame(3, substr_count($page, 'Not measured: stack X and stack A. '));
        self::assertSame([0, 0], [substr_count($page, '"kind":"lines"'), substr_count($page, '"id":"end"')]);
    }

    #[Test]
    public function nothing_measured_is_a_page_too(): void
    {
        self::assertStringContainsString('No part was measured.', (string) json_encode(self::page('{"parts": {}}')->toArray()));
    }

    #[Test]
    public function one_stack_alone_is_shown_and_the_other_named(): void
    {
        $page = self::json(CollectorResults::whole()->with('figures/figures/slow_a', []));

        self::assertSame([1, 1], [substr_count($page, 'Not measured: stack A. '), substr_count($page, '{"text":"–","note":"not measured","tone":"quiet","link":""}')]);
        self::assertSame(6, substr_count($page, '"kind":"lines"'));
    }

    #[Test]
    public function a_step_of_refusals_has_no_response_time(): void
    {
        $of = static fn (int $refused): string => self::json(CollectorResults::whole()->with('figures/figures/slow_a/9/refused', $refused)->with('figures/figures/slow_a/9/p50_ms', 0.25));

        self::assertStringContainsString('stack A 10 requests/s, half within 250 us, 499 errors', $of(499));
        self::assertStringContainsString('stack A 10 requests/s, hardly an answer, 500 errors', $of(500));
        self::assertStringContainsString('{"x":114,"y":null,"text":"stack A: 500 errors"}', $of(500));
    }

    #[Test]
    public function a_quick_run_says_so_and_has_no_good_news(): void
    {
        $quick = (string) json_encode(self::page(CollectorResults::whole()->json(isQuick: true))->toArray());

        self::assertStringContainsString('"sections":[{"id":"quick","title":"A quick run","tone":"alert"', $quick);
        self::assertStringContainsString('0 not measured","tone":"plain"', $quick);
        self::assertStringNotContainsString('A quick run', self::json(CollectorResults::whole()));
    }

    #[Test]
    public function whatever_the_results_say_is_text(): void
    {
        $evil = '</style></title><script>alert(1)</script>"\'><img src=x onerror=alert(1)>';
        $results = CollectorResults::whole()->with('lane/machine', ['cpu' => $evil, 'cores' => $evil, 'kernel' => $evil, 'php' => $evil, 'commit' => $evil, 'date' => $evil, 'ini' => [$evil => $evil]]);
        $html = (new Page(ResultsFile::fromJson("{$evil}.json", $results->json())))->html();

        self::assertSame(substr_count(self::page(CollectorResults::whole()->json())->html(), '<script'), substr_count($html, '<script'));
        self::assertStringNotContainsString('<img src=x', $html);
        self::assertStringContainsString('\u003Cimg src=x onerror=alert(1)\u003E', $html);
    }

    #[Test]
    public function every_link_leads_to_a_place_on_the_page(): void
    {
        $page = self::json(CollectorResults::whole()->with('soak/result/lost', 1));
        preg_match_all('/"id":"([^"]+)"/', $page, $ids);
        preg_match_all('/"link":"([^"]+)"/', $page, $links);

        self::assertSame(['#part-soak', '#hello', '#slow', '#log'], $links[1]);
        self::assertSame([], array_diff($links[1], array_map(static fn (string $id): string => "#{$id}", $ids[1])));
    }

    #[Test]
    public function the_same_results_make_the_same_page(): void
    {
        $html = static fn (): string => self::page(CollectorResults::whole()->json())->html();

        self::assertSame(md5($html()), md5($html()));
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
        (new Page(ResultsFile::fromJson('some.json', $json)))->page();
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
        self::assertSame(2, preg_match_all("/const (?:PARTS|LONG) = \['([^]]+)'\];/", $run, $names));

        self::assertSame(explode("', '", implode("', '", $names[1])), array_column(Part::cases(), 'value'));
    }

    /** @return list<string> ids of the sections that alert */
    private static function alerting(CollectorResults $results): array
    {
        preg_match_all('/"id":"([^"]+)","title":"[^"]+","tone":"alert"/', self::json($results), $found);

        return $found[1];
    }

    private static function json(CollectorResults $results): string
    {
        return json_encode(self::page($results->json())->toArray(), JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
    }

    private static function page(string $json): ReportPage
    {
        return (new Page(ResultsFile::fromJson('collector.json', $json)))->page();
    }
}
