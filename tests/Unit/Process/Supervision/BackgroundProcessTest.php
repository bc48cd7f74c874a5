<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Process\Supervision;

use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Tasks that hang and that return are in tests/Laravel/BackgroundProcessTest.php.
 */
#[RequiresPhpExtension('pcntl')]
#[RequiresPhpExtension('posix')]
final class BackgroundProcessTest extends TestCase
{
    /** It would run the task 200 times, as its task is always due. */
    #[Test]
    public function it_ends_when_its_supervisor_is_killed(): void
    {
        $printed = Program::printed(<<<'PHP'
            $clock = new class implements Headroom\Core\Clock {
                public int $nanos = 0;
                public function now(): DateTimeImmutable { return new DateTimeImmutable; }
                public function micros(): int { return 0; }
                public function monotonicNanos(): int { return $this->nanos; }
                public function sleep(int $micros): void { usleep(5_000); }
            };
            $background = new Headroom\Process\Supervision\BackgroundProcess(
                static fn (): bool => true,
                static fn () => fwrite(STDOUT, "ran\n"),
                (new Headroom\Process\Supervision\ForkedProcesses)->start(...),
                $clock,
            );
            $clock->nanos = 5_000_000_000;
            $background->tick();
            usleep(100_000);
            posix_kill(getmypid(), 9);
            PHP);

        self::assertContains('ran', $printed);
        self::assertLessThan(200, count($printed));
    }
}
