<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks\Bottleneck;

use Headroom\Benchmarks\Bottleneck\Report\Page;
use Headroom\Benchmarks\Bottleneck\Report\UnableToReadResults;
use Headroom\Host\TemporaryDirectory;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class PageTest extends TestCase
{
    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('page');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test]
    public function a_stage_is_shown_with_its_figures_and_with_what_the_doctor_said(): void
    {
        $page = $this->page(self::results(['right' => true, 'words' => 'named redis-connections, flagged R1'], true));

        self::assertStringContainsString('<th scope="row">Baseline</th><td>50.51 %</td><td>9,929 ms</td><td>12,000 ms</td><td>25</td><td>88.0</td><td>31 %</td><td>✓ named redis-connections, flagged R1</td>', $page);
        self::assertStringContainsString('Requests wait for Redis &lt;there&gt;. After 21 s.', $page);
        self::assertSame(2, substr_count($page, '<svg class="chart"'));
        self::assertStringContainsString('mended as printed: fixed', $page);
        self::assertStringContainsString('<code>.env, at the end + REDIS_PERSISTENT=true</code>', $page);
        self::assertStringNotContainsString('<script', $page);
        self::assertStringNotContainsString('class="missed"', $page);
        self::assertStringContainsString('commit abc, 2026-01-01T00:00:00Z', $page);
    }

    #[Test]
    public function what_went_wrong_is_said_as_loud_as_what_went_well(): void
    {
        $page = $this->page(self::results(['right' => false, 'words' => 'named nothing, not redis-connections'], false));

        self::assertStringContainsString('✗ named nothing, not redis-connections', $page);
        self::assertStringContainsString('mended as printed: not fixed', $page);
        self::assertSame(2, substr_count($page, 'class="missed"'));
    }

    #[Test]
    public function what_was_not_measured_is_said_and_not_left_out(): void
    {
        $page = $this->page(['experiment' => 'bottleneck', 'quick' => true, 'parts' => []]);

        self::assertStringContainsString('The stages were not measured.', $page);
        self::assertStringContainsString('The fixes were not measured.', $page);
        self::assertStringContainsString('its figures are no results', $page);
    }

    #[Test]
    #[TestWith(['', 'is not what make bench-bottleneck writes'])]
    #[TestWith(['{"experiment": "collector", "parts": {}}', 'is not what make bench-bottleneck writes'])]
    #[TestWith(['[]', 'is not what make bench-bottleneck writes'])]
    public function what_is_no_results_file_is_named_and_no_page_is_made(string $text, string $words): void
    {
        $file = $this->directory->write('other.json', $text);

        try {
            Page::write($file);
            self::fail('It was taken.');
        } catch (UnableToReadResults $e) {
            self::assertStringContainsString("{$file} {$words}", $e->getMessage());
        }

        self::assertFileDoesNotExist($this->directory->file('other.html'));
    }

    /** @param array<string, mixed> $results */
    private function page(array $results): string
    {
        return (string) file_get_contents(Page::write($this->directory->write('bottleneck.json', json_encode($results, JSON_THROW_ON_ERROR))));
    }

    /**
     * @param array{right: bool, words: string} $judged
     * @return array<string, mixed>
     */
    private static function results(array $judged, bool $isFixed): array
    {
        $load = [
            'requests' => 1750, 'seconds' => 40.0, 'error_rate' => 0.5051, 'mean_ms' => 9929.0, 'p95_ms' => 12000.0, 'redis_clients_most' => 25, 'redis_connections_per_second' => 88.0, 'cpu_share' => 0.31,
            'timeline' => [['from_s' => 0.0, 'seconds' => 1.0, 'succeeded' => 4, 'errors' => 0, 'mean_ms' => 500.0], ['from_s' => 1.0, 'seconds' => 1.0, 'succeeded' => 0, 'errors' => 3, 'mean_ms' => 8000.0], ['from_s' => 2.0, 'seconds' => 1.0, 'succeeded' => 0, 'errors' => 0, 'mean_ms' => null]],
            'redis' => [['at_s' => 0.5, 'clients' => 20, 'connections_per_second' => 88.0]],
        ];
        $doctor = ['cause' => 'redis-connections', 'sentence' => 'Requests wait for Redis <there>.', 'seconds_to_cause' => 21.0, 'seconds' => 25.0, 'found' => ['R1'], 'findings' => [['id' => 'R1', 'severity' => 'high', 'status' => 'warn', 'subject' => '', 'message' => 'A request opens 2 new connections to Redis.']]];
        $machine = ['cpu' => 'c', 'cores' => 2, 'kernel' => 'k', 'php' => '8.2', 'commit' => 'abc', 'date' => '2026-01-01T00:00:00Z'];
        $given = ['users' => 350, 'limit_s' => 8, 'samples' => 1750, 'line' => ['round_trip_ms' => 1.0, 'connection_ms' => 11.5]];

        return ['experiment' => 'bottleneck', 'quick' => false, 'parts' => [
            'stages' => ['machine' => $machine, 'figures' => [...$given, 'stages' => [['stage' => 'baseline', 'quota' => 'all', 'load' => $load, 'doctor' => $doctor, 'judged' => $judged]]], 'result' => []],
            'fixes' => ['machine' => $machine, 'figures' => [...$given, 'mended' => [['stage' => 'baseline', 'steps' => [['check' => 'R1', 'text' => 'Keep connections.', 'done' => ['.env, at the end + REDIS_PERSISTENT=true'], 'load' => $load, 'gone' => true]], 'fixed' => $isFixed]]], 'result' => []],
        ]];
    }
}
