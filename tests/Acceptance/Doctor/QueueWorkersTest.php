<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Doctor\Application\QueueWorker;
use Headroom\Doctor\Application\QueueWorkers;
use Headroom\Process\Proc;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\Printed;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

final class QueueWorkersTest extends TestCase
{
    /** @return iterable<string, array{list<string>, ?array{?string, int}}> */
    public static function commandLines(): iterable
    {
        yield 'as Supervisor starts them' => [
            ['artisan', 'queue:work', 'redis', '--sleep=3', '--timeout=120', '--queue=high,default'],
            ['redis', 120],
        ];
        yield 'of the default connection' => [['artisan', 'queue:work', '--tries=3'], [null, 60]];
        yield 'of Horizon' => [
            ['artisan', 'horizon:work', 'redis', '--name=default', '--supervisor=a', '--timeout=0'],
            ['redis', 0],
        ];
        yield 'with values as words' => [
            ['artisan', 'queue:work', '--queue', 'high', '--timeout', '300', 'redis', '--tries', '3'],
            ['redis', 300],
        ];
        yield 'with the limit last' => [['artisan', 'queue:work', 'redis', '--timeout', '0'], ['redis', 0]];
        yield 'with two limits' => [['artisan', 'queue:listen', '--timeout=30', '--timeout=900', 'sqs'], ['sqs', 900]];
        yield 'with flags' => [['artisan', 'queue:work', '-q', '--once', '--force', 'redis'], ['redis', 60]];
        yield 'behind a terminator' => [['artisan', 'queue:work', '--timeout=5', '--', 'redis'], ['redis', 5]];
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
        $found = self::found($words);

        self::assertSame($expected, $found === null ? null : [$found->connection, $found->timeout]);
    }

    #[Test]
    public function a_worker_is_of_the_application_whose_artisan_it_was_started_by(): void
    {
        $application = TemporaryDirectory::create('queue-worker');
        $other = TemporaryDirectory::create('queue-worker');

        try {
            $artisan = $application->write('artisan', '');
            $other->write('artisan', '');

            foreach ([
                self::found(['artisan', 'queue:work'], $application->path), self::found([$artisan, 'queue:work']),
            ] as $worker) {
                self::assertSame([true, false], [$worker?->isOf($application->path), $worker?->isOf($other->path)]);
            }

            // There is no artisan where it runs: whose it is can be told, it is nobody's.
            unlink($artisan);
            self::assertFalse(self::found(['artisan', 'queue:work'], $application->path)?->isOf($other->path));
        } finally {
            $application->remove();
            $other->remove();
        }
    }

    #[Test]
    public function the_application_of_a_hidden_worker_is_not_known(): void
    {
        $proc = TemporaryDirectory::create('proc');
        $pid = (int) getmypid();

        try {
            mkdir($proc->file((string) $pid));
            $proc->write("{$pid}/cmdline", "php\0artisan\0queue:work\0");
            $workers = QueueWorkers::running(new Proc($proc->path))->workers;

            self::assertSame([$pid], array_map(static fn (QueueWorker $worker): int => $worker->pid, $workers));
            self::assertNull($workers[0]->isOf($proc->path));
        } finally {
            $proc->remove();
        }
    }

    /** @param list<string> $words of its command line */
    private static function found(array $words, ?string $directory = null): ?QueueWorker
    {
        $process = new Process([PHP_BINARY, '-r', 'echo "ready\n"; sleep(60);', '--', ...$words], $directory);
        $process->start();
        Printed::by($process, 'ready');

        try {
            return array_values(array_filter(
                QueueWorkers::running()->workers,
                static fn (QueueWorker $worker): bool => $worker->pid === $process->getPid(),
            ))[0] ?? null;
        } finally {
            $process->stop(0);
        }
    }
}
