<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Tests\Fault\Support\Database;
use Headroom\Tests\Fault\Support\DeadLetterTestCase;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use Symfony\Component\Process\Process;

/**
 * The ledger says how many events were refused; only their letters, on this disk, say which.
 */
final class LostDeadLettersTest extends DeadLetterTestCase
{
    #[Test]
    #[TestDox('snapshot restored that is older than dead letters')]
    #[DataProviderExternal(Database::class, 'byName')]
    public function letters_that_went_with_a_disk_are_told_with_their_number(Database $database): void
    {
        $this->useDatabase($database);
        $this->append(['a', 'bad 1', 'b', 'bad 2', 'c']);
        $buffer = "{$this->world->directory}/buffer";
        (new Process(['cp', '-a', $buffer, "{$buffer}.snapshot"]))->mustRun();
        self::assertSame([], $this->flush()->losses);
        self::assertCount(2, $this->letters());

        (new Process(['rm', '-r', $buffer]))->mustRun();
        (new Process(['mv', "{$buffer}.snapshot", $buffer]))->mustRun();
        $losses = array_values($this->flush()->losses);
        self::assertCount(1, $losses);
        self::assertTrue($losses[0]->isAlarming);
        self::assertStringStartsWith('2 events ', $losses[0]->message);
        self::assertSame([], $this->flush()->losses, 'Once.');
        self::assertSame(['a', 'b', 'c'], $this->world->rows());
    }

    #[Test]
    public function letters_that_are_here_are_not_missed_behind_a_crash(): void
    {
        $this->append(['a', 'bad 1', 'b']);
        $state = $this->world->layout()->stateFile;
        $this->flush();
        $this->append(['c', 'bad 2', 'd']);
        $before = (string) file_get_contents($state);
        $this->flush();
        // As a flusher leaves it that was killed between the commit and its own note.
        file_put_contents($state, $before);

        self::assertSame([], $this->flush()->losses);
        self::assertCount(2, $this->letters());
    }
}
