<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector;

use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Collector\Support\Client;
use Headroom\Tests\Acceptance\Collector\Support\Running;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Events that are refused for what they are, where the configuration wants them kept.
 */
final class RejectedTest extends TestCase
{
    #[Test]
    public function they_lie_in_the_dead_bucket_with_the_reason(): void
    {
        $collector = $this->start();
        [$status, , $answer] = $this->post($collector, "{\"id\":\"good\",\"type\":\"a\"}\n{\"id\":\"bad\"}\n");
        self::assertSame(202, $status);
        self::assertStringContainsString('"rejected":1', $answer);
        [$status] = $this->post($collector, "{\"id\":\"worse\"}\n");
        self::assertSame(422, $status);

        $kept = $this->delivered($collector, 'refused', 2);
        self::assertStringContainsString('"id":"good"', $this->delivered($collector, 'events', 1));
        self::assertStringContainsString('bad', $kept);
        self::assertStringContainsString('worse', $kept);
        self::assertStringContainsString('type', $kept);
        // Workers publish their counters about once a second.
        $collector->waitFor(static fn (Running $it): bool => str_contains(
            Client::fetch($it->admin(), '/metrics')[1],
            "\nheadroom_events_dead_lettered_total 2\n",
        ));
    }

    #[Test]
    public function a_dead_bucket_that_takes_nothing_changes_no_answer_and_is_counted(): void
    {
        $collector = $this->start();
        self::assertSame(202, $this->post($collector, "{\"id\":\"good\",\"type\":\"a\"}\n")[0]);
        // No directory can be made of that name.
        file_put_contents("{$collector->directory}/spool/buckets/refused", '');

        self::assertSame(202, $this->post($collector, "{\"id\":\"better\",\"type\":\"a\"}\n{\"id\":\"bad\"}\n")[0]);
        self::assertSame(422, $this->post($collector, "{\"id\":\"worse\"}\n")[0]);
        $collector->waitForLog('/spool/buckets/refused');
        $collector->waitFor(static fn (Running $it): bool => preg_match(
            '/^headroom_events_refused_total\{reason="[a-z_-]+"\} 2$/m',
            Client::fetch($it->admin(), '/metrics')[1],
        ) === 1);
        self::assertStringContainsString('"id":"better"', $this->delivered($collector, 'events', 2));
    }

    /** @return string what is in the bucket's file, once it is so many lines */
    private function delivered(Running $collector, string $bucket, int $lines): string
    {
        $read = static fn (): string => (string) @file_get_contents("{$collector->directory}/{$bucket}.ndjson");
        $collector->waitFor(static fn (
            Running $it,
        ): bool => $it->command('spool:flush', $bucket)[0] === 0 && substr_count($read(), "\n") === $lines);

        return $read();
    }

    private function start(): Running
    {
        $home = TemporaryDirectory::create('collector');

        return Running::start(
            ['workers' => 1, 'intake' => ['auth' => false, 'dead_bucket' => 'refused']],
            ['path' => "{$home->path}/spool", 'min_free_bytes' => 0, 'buckets' => [
                'events' => ['sink' => 'file', 'path' => "{$home->path}/events.ndjson"],
                'refused' => ['sink' => 'file', 'path' => "{$home->path}/refused.ndjson"],
            ]],
            home: $home,
        );
    }

    /** @return array{int, string, string} */
    private function post(Running $collector, string $body): array
    {
        return (new Client($collector->address()))
            ->send(
                "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-ndjson\r\nContent-Length: "
                    .strlen($body)."\r\n\r\n{$body}",
            )
            ->answer();
    }
}
