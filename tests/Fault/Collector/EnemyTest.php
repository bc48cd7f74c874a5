<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Collector;

use Headroom\Collector\Ingest\Authentication\UnableToStoreKeys;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Collector\Support\Client;
use Headroom\Tests\Acceptance\Collector\Support\Handlers\Blocker;
use Headroom\Tests\Acceptance\Collector\Support\Handlers\Quitter;
use Headroom\Tests\Acceptance\Collector\Support\Running;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * Requests and files with which an attacker, or a mistake, could harm a collector.
 */
final class EnemyTest extends TestCase
{
    #[Test, Group('day-2')]
    #[TestWith(['spool/buckets/events/active'])]
    #[TestWith(['spool/buckets'])]
    #[TestWith(['spool'])]
    public function nothing_is_acknowledged_into_a_file_that_was_removed(string $what): void
    {
        $collector = Running::start(['workers' => 1]);
        $client = new Client($collector->address());

        // From the second on it keeps its file open.
        foreach (['a', 'b', 'c'] as $id) {
            self::assertSame(202, $client->event($id)->answer()[0]);
        }

        self::remove("{$collector->directory}/{$what}");
        self::assertSame([202, 202], [$client->event('d')->answer()[0], $client->event('e')->answer()[0]]);
        $ids = $collector->collected();
        sort($ids);
        self::assertSame(['d', 'e'], $ids);
    }

    #[Test]
    public function keys_that_cannot_be_read_are_a_503_and_not_a_401(): void
    {
        $collector = Running::start(['workers' => 1, 'intake' => []]);
        $address = $collector->address();
        $made = json_decode($collector->command('collect:key', 'create', 'shop', '--json')[1], true);
        self::assertIsArray($made);
        self::assertIsString($made['key']);
        $file = "{$collector->directory}/spool/collector/keys.json";
        $good = (string) file_get_contents($file);
        file_put_contents($file, substr($good, 0, 40));

        [$status, $headers, $problem] = (new Client($address))->event('a', "Authorization: Bearer {$made['key']}\r\n")
            ->answer();
        self::assertSame([503, true], [$status, str_contains($headers, 'Retry-After: ')]);
        self::assertStringContainsString('"code":"keys_unavailable"', $problem);
        self::assertStringNotContainsString($collector->directory, $problem);
        Sentence::assertIn(UnableToStoreKeys::invalid($file, Sentence::ANY), $collector->log());

        file_put_contents($file, $good);
        $collector->waitFor(static fn (): bool => (new Client($address))->event(
            'b',
            "Authorization: Bearer {$made['key']}\r\n",
        )->answer()[0] === 202);
        // The whole buffer goes away, as behind a mount, and comes back.
        rename("{$collector->directory}/spool/collector", "{$collector->directory}/aside");
        $collector->waitFor(static fn (): bool => (new Client($address))->event(
            'c',
            "Authorization: Bearer unknown\r\n",
        )->answer()[0] === 503);
        Sentence::assertIn(UnableToStoreKeys::missing($file), $collector->log());
        rename("{$collector->directory}/aside", "{$collector->directory}/spool/collector");
    }

    #[Test]
    public function a_body_that_comes_byte_by_byte_is_given_up(): void
    {
        $collector = Running::start(['workers' => 1, 'timeouts' => ['body_idle' => 2]]);
        $client = (new Client($collector->address()))->send(
            "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n",
        );
        stream_set_blocking($client->stream, false);
        $answer = '';

        for ($times = 0; $times < 100 && $answer === ''; $times++) {
            $client->send(' ');
            usleep(100_000);
            $answer = (string) fread($client->stream, 8_192);
        }

        self::assertStringContainsString('408', substr($answer, 0, 12));
        self::assertMatchesRegularExpression('/"detail":"[^"]*\b1024\b/', $answer);
        self::assertSame(202, (new Client($collector->address()))->event('a')->answer()[0]);
    }

    #[Test]
    public function bodies_that_never_come_whole_take_no_more_memory_than_is_set(): void
    {
        $collector = Running::start([
            'workers' => 1,
            'limits' => ['body_bytes' => 1_048_576, 'unfinished_bytes' => 2_097_152],
        ]);
        $head =
            "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n";
        $clients = [];

        for ($number = 0; $number < 4; $number++) {
            $clients[] = $client = (new Client($collector->address()))->send(
                $head.'{"type":"t","id":"'.$number.'","data":"',
            );
            $client->send(str_repeat('x', 899_990 - 36));
            // So that each is known to have come before the next one begins.
            self::assertSame(200, Client::fetch($collector->address(), '/livez')[0]);
        }

        [$status, $headers, $problem] = $clients[0]->answer();
        self::assertSame(
            [503, true, true],
            [$status, str_contains($headers, "Retry-After: 5\r\n"), str_contains($headers, 'Connection: close')],
            $problem,
        );
        self::assertStringContainsString('"code":"crowded"', $problem);
        self::assertSame(503, $clients[1]->answer()[0]);

        // 413: it is whole now, and no event is so large.
        foreach ([$clients[2], $clients[3]] as $client) {
            self::assertSame(413, $client->send(str_repeat('x', 100_008).'"}'.str_repeat(' ', 36))->answer()[0]);
        }

        $collector->waitFor(static fn (Running $it): bool => str_contains(
            Client::fetch($it->admin(), '/metrics')[1],
            'headroom_connections_dropped_total{reason="memory_limit"} 2',
        ));

        // The collector frees the memory of a client that disconnects.
        foreach ([1, 2, 3] as $time) {
            (new Client($collector->address()))->send($head.str_repeat(' ', 900_000))->close();
        }

        self::assertSame(
            400,
            (new Client($collector->address()))->send($head.str_repeat(' ', 900_000))
                ->send(str_repeat(' ', 100_000))
                ->answer()[0],
        );
        self::assertStringContainsString(
            '{reason="memory_limit"} 2',
            Client::fetch($collector->admin(), '/metrics')[1],
        );
    }

    /** PHP's default is 128 MiB. */
    #[Test, Group('day-1')]
    public function a_small_memory_limit_of_php_ends_no_worker(): void
    {
        $home = TemporaryDirectory::create('collector');
        file_put_contents("{$home->path}/small.ini", 'memory_limit=48M');
        $collector = Running::start(
            ['workers' => 1],
            env: ['PHP_INI_SCAN_DIR' => getenv('PHP_INI_SCAN_DIR').":{$home->path}"],
            home: $home,
        );
        $before = $collector->pids();
        $clients = array_map(
            static fn (): Client => (new Client($collector->address()))->send(
                "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Length: 5000001\r\n\r\n".str_repeat(' ', 5_000_000),
            ),
            range(1, 12),
        );

        foreach ($clients as $client) {
            self::assertSame(400, $client->send(' ')->answer()[0], $collector->log());
        }

        self::assertSame($before, $collector->pids());
    }

    #[Test]
    public function requests_that_come_faster_than_their_answers_are_left_where_they_are(): void
    {
        $collector = Running::start(['workers' => 1]);
        $client = new Client($collector->address());
        stream_set_blocking($client->stream, false);
        $requests = str_repeat("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n", 1_000);
        [$sent, $answers, $rest] = [0, 0, ''];

        while ($answers < 60_000) {
            [$read, $write, $except] = [[$client->stream], [$client->stream], null];
            stream_select($read, $write, $except, 20);
            $rest = $rest === '' ? $requests : $rest;
            $written = (int) @fwrite($client->stream, $rest);
            $rest = substr($rest, $written);
            $sent += $written;
            $answers += substr_count((string) fread($client->stream, 1_048_576), "200 OK\r\n");
        }

        // The kernel's buffers hold some MiB of it.
        self::assertLessThan(16 * 1_048_576, $sent - 32 * $answers);
    }

    /** Without a beat between them, eleven of these would be taken for a stuck worker. */
    #[Test]
    public function many_slow_requests_at_once_leave_a_worker_time_to_show_that_it_lives(): void
    {
        $collector = Running::start(['workers' => 1, 'handlers' => ['/block' => Blocker::class]]);
        $clients = array_map(static fn (): Client => (new Client($collector->address()))->get('/block/1'), range(1, 4));
        // A beat is due after each, as each takes a second, and publishes what was answered. The beat after the third
        // may come when the fourth has begun; a worker that takes all four in one turn publishes none of them.
        $collector->waitFor(static fn (Running $it): bool => substr_count($it->log(), "blocks\n") === 4);
        self::assertGreaterThanOrEqual(2, self::answered($collector), $collector->log());

        foreach ($clients as $client) {
            self::assertSame(200, $client->answer()[0], $collector->log());
        }
    }

    #[Test, Group('day-3')]
    public function requests_that_end_their_worker_do_not_end_the_collector(): void
    {
        $collector = Running::start(['workers' => 1, 'handlers' => ['/quit' => Quitter::class]]);

        for ($times = 0; $times < 8; $times++) {
            self::assertSame(0, (new Client($collector->address()))->get('/quit')->answer()[0]);
            self::assertSame(
                202,
                (new Client($collector->address()))->event("e-{$times}")->answer()[0],
                $collector->log(),
            );
        }

        self::assertTrue($collector->isRunning());
        self::assertCount(8, $collector->collected());
        $log = $collector->log();
        self::assertSame(8, substr_count($log, 'worker 1 ended with exit code 0; restarting'), $log);
    }

    /** How many requests its workers had answered at their last beats. */
    private static function answered(Running $collector): int
    {
        $sum = 0;

        foreach ((array) glob("{$collector->directory}/spool/collector/metrics/*.json") as $file) {
            $published = json_decode((string) file_get_contents((string) $file), true);
            self::assertIsArray($published);

            foreach ((array) ($published['counters'] ?? []) as $series => $count) {
                $isOfRequests = str_starts_with((string) $series, 'headroom_http_requests_total');
                $sum += $isOfRequests && is_int($count) ? $count : 0;
            }
        }

        return $sum;
    }

    private static function remove(string $path): void
    {
        foreach (is_dir($path) && ! is_link($path) ? array_diff((array) scandir($path), ['.', '..']) : [] as $name) {
            self::remove("{$path}/{$name}");
        }

        is_dir($path) ? @rmdir($path) : @unlink($path);
    }
}
