<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Collector;

use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Collector\Support\Client;
use Headroom\Tests\Acceptance\Collector\Support\Running;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * A disk of two megabytes that is really full (ENOSPC). Only root can mount one.
 */
#[Group('snapshot')]
final class FullDiskTest extends TestCase
{
    private TemporaryDirectory $home;

    private ?Running $collector = null;

    private string $disk = '';

    protected function setUp(): void
    {
        $this->home = TemporaryDirectory::create('collector');
        $disk = "{$this->home->path}/spool";
        mkdir($disk);

        if (
            posix_geteuid() !== 0
            || (new Process(['mount', '-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', $disk]))->run() !== 0
        ) {
            self::markTestSkipped('Only root can mount a small disk, and not in every container.');
        }

        $this->disk = $disk;
    }

    protected function tearDown(): void
    {
        $this->collector?->end();

        if ($this->disk !== '') {
            (new Process(['umount', $this->disk]))->run();
        }

        $this->home->remove();
    }

    #[Test, Group('day-3')]
    #[TestWith(['power'])]
    #[TestWith(['process'])]
    public function acknowledged_events_stay_and_the_rest_is_taken_when_there_is_room(string $durability): void
    {
        $this->collector = $collector = Running::start(
            ['workers' => 2],
            ['buckets' => ['events' => [
                'sink' => 'file',
                'path' => "{$this->home->path}/out.ndjson",
                'durability' => $durability,
            ]]],
            home: $this->home,
        );
        file_put_contents("{$this->disk}/filler", str_repeat('x', 1_000_000));
        $before = $collector->pids();
        $acknowledged = $refused = [];

        for ($number = 0; count($refused) < 40 && $number < 500; $number++) {
            // Each time another connection, so that both workers meet it, and another size,
            // so that a write ends somewhere else.
            $body = '{"type":"t","id":"'.$number.'","data":"'.str_repeat('x', 5_000 + 997 * ($number % 23)).'"}';
            [$status, $headers, $problem] = (new Client($collector->address()))->send(
                "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: "
                    .strlen($body)."\r\n\r\n{$body}",
            )->answer();

            if ($status === 202) {
                $acknowledged[] = (string) $number;

                continue;
            }

            self::assertSame(
                [503, true, true],
                [$status, str_contains($headers, 'Retry-After: '), str_contains($headers, 'application/problem+json')],
                $problem,
            );
            self::assertStringContainsString('"code":"not_stored"', $problem);
            $refused[] = $number;
        }

        self::assertCount(40, $refused);
        Snapshot::assertPrinted('problems of the collector', 'the disk is full', $problem);
        self::assertGreaterThan(20, count($acknowledged));
        self::assertSame($before, $collector->pids());
        self::assertSame([200, "ok\n"], Client::fetch($collector->address(), '/livez'));
        $collector->waitForLog('No space left on device');

        unlink("{$this->disk}/filler");
        self::assertSame(200, Client::fetch($collector->address(), '/readyz')[0]);
        self::assertSame(202, (new Client($collector->address()))->event('last')->answer()[0]);
        // Until now the disk had no room for the metrics either.
        $collector->waitFor(static fn (Running $it): bool => str_contains(
            Client::fetch($it->admin(), '/metrics')[1],
            'headroom_events_refused_total{reason="disk_full"} 40',
        ));
        $collected = $collector->collected();
        sort($collected);
        $wanted = [...$acknowledged, 'last'];
        sort($wanted);
        self::assertSame($wanted, $collected);
    }
}
