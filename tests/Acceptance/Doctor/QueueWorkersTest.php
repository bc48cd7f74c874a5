<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Doctor\Facts\Laravel\QueueWorker;
use Headroom\Doctor\Facts\Laravel\QueueWorkers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

final class QueueWorkersTest extends TestCase
{
    /** @return iterable<string, array{list<string>, ?array{?string, int}}> */
    public static function commandLines(): iterable
    {
        yield 'as Supervisor starts them' => [['artisan', 'queue:work', 'redis', '--sleep=3', '--timeout=120', '--queue=high,default'], ['redis', 120]];
        yield 'of the default connection' => [['artisan', 'queue:work', '--tries=3'], [null, 60]];
        yield 'of Horizon' => [['artisan', 'horizon:work', 'redis', '--name=default', '--supervisor=a', '--timeout=0'], ['redis', 0]];
        yield 'another command' => [['artisan', 'queue:workers', 'redis'], null];
    }

    /**
     * @param list<string> $words
     * @param ?array{?string, int} $expected
     */
    #[Test]
    #[DataProvider('commandLines')]
    public function workers_are_known_by_how_they_were_started(array $words, ?array $expected): void
    {
        $process = new Process([PHP_BINARY, '-r', 'echo "ready\n"; sleep(60);', '--', ...$words]);
        $process->start();
        $process->waitUntil(static fn (string $type, string $text): bool => str_contains($text, 'ready'));

        try {
            $found = array_values(array_filter(QueueWorkers::running()->workers, static fn (QueueWorker $worker): bool => $worker->pid === $process->getPid()));

            self::assertSame($expected, $found === [] ? null : [$found[0]->connection, $found[0]->timeout]);
        } finally {
            $process->stop(0);
        }
    }
}
