<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\UnableToFlush;
use Headroom\Tests\Fault\Support\FaultTestCase;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Process;

/**
 * The buffer's disk was set back or copied: a snapshot that was restored, a machine that was cloned.
 */
final class ForkTest extends FaultTestCase
{
    #[Test]
    public function an_event_of_equal_length_behind_a_restored_copy_is_not_taken_for_delivered(): void
    {
        $this->world->append(['a-1']);
        $this->flush();
        $copy = $this->copy();
        $this->world->append(['b-1']);
        $this->flush();
        $this->restore($copy);
        $this->world->append(['c-1']);

        for ($try = 0; $try < 3; $try++) {
            $report = $this->world->flush();
            self::assertInstanceOf(UnableToFlush::class, $report->failure);
            self::assertSame(0, $report->delivered);
        }

        self::assertSame(['a-1', 'b-1'], $this->world->rows());
    }

    private function copy(): string
    {
        $copy = "{$this->world->directory}/copy-".bin2hex(random_bytes(4));
        self::shell('cp', '-a', "{$this->world->directory}/buffer", $copy);

        return $copy;
    }

    private function restore(string $copy): void
    {
        self::shell('rm', '-r', "{$this->world->directory}/buffer");
        self::shell('cp', '-a', $copy, "{$this->world->directory}/buffer");
    }

    private static function shell(string ...$command): void
    {
        (new Process($command))->mustRun();
    }
}
