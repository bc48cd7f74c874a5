<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * On a machine that has a handful of ports to connect from.
 */
#[Group('snapshot')]
final class LocalPortsTest extends TestCase
{
    private const ALONE = ['unshare', '--fork', '--pid', '--net', '--mount-proc', '--kill-child', '--'];

    private const RUN = <<<'SH'
        set -e
        ip link set lo up
        "$1" "$2" "$4/port" "$4/requests" 127.0.0.1 &
        until [ -s "$4/port" ]; do sleep 0.02; done
        # One is taken by the look for the server before the run.
        echo 40000 40010 > /proc/sys/net/ipv4/ip_local_port_range
        "$1" "$3" load "http://127.0.0.1:$(cat "$4/port")/slow/300" --concurrency=30 --requests=30 --json
        SH;

    #[Test]
    public function a_lack_of_local_ports_is_told_as_a_limit_of_this_client(): void
    {
        if ((new Process([...self::ALONE, 'ip', 'link', 'set', 'lo', 'up']))->run() !== 0) {
            self::markTestSkipped('A network of its own needs root, unshare and ip.');
        }

        $directory = TemporaryDirectory::create('load-ports');

        try {
            $process = new Process([
                ...self::ALONE,
                'sh',
                '-c',
                self::RUN,
                'sh',
                Programs::php(),
                __DIR__.'/fixtures/server.php',
                dirname(__DIR__, 3).'/bin/headroom',
                $directory->path,
            ]);
            $process->run();
            $document = json_decode($process->getOutput(), true);
            self::assertIsArray($document, $process->getErrorOutput());
            $result = new LoadJson($document);
        } finally {
            $directory->remove();
        }

        [$succeeded, $refused] = [$result->at('succeeded'), $result->at('connect_errors')];
        self::assertIsInt($succeeded);
        self::assertIsInt($refused);
        // The kernel does not always find the last port that is free.
        self::assertSame([30, 30], [$result->at('sent'), $succeeded + $refused]);
        self::assertTrue($succeeded > 5 && $refused >= 20, "{$succeeded} {$refused}");
        self::assertSame('no_local_port', $result->at('failures.0.kind'));
        self::assertContains('local_ports', $result->list('client.limits'));
        self::assertStringContainsString('net.ipv4.ip_local_port_range', $process->getErrorOutput());
        Snapshot::assertPrinted('load', 'no local port is left', $process->getErrorOutput());
    }
}
