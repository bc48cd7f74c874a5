<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\CallingCheckpoint;
use Headroom\Tests\Fault\Support\Child;
use Headroom\Tests\Fault\Support\Database;
use Headroom\Tests\Fault\Support\DatabaseSession;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Fault\Support\World;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;

/**
 * A flusher is stopped in its transaction, its lock is lost, another one delivers, and then it is resumed. Only the
 * ledger keeps it from delivering again.
 */
final class ZombieFlusherTest extends FaultTestCase
{
    #[Test]
    #[TestDox('flusher stopped (SIGSTOP) mid-transaction and resumed')]
    #[DataProviderExternal(Database::class, 'sampled')]
    public function one_that_had_begun_finds_the_ledger_moved_and_delivers_nothing(Database $database): void
    {
        $zombie = $this->zombieAt('delivery.begun', $database);
        $this->flush();
        $this->assertDeliveredOnce(['first', 'second']);
        $zombie->resume();

        self::assertSame(0, $zombie->result()['delivered']);
        $this->assertDeliveredOnce(['first', 'second']);
        $this->assertNextIsDelivered();
    }

    #[Test]
    #[TestDox('flusher stopped (SIGSTOP) mid-transaction and resumed')]
    #[DataProviderExternal(Database::class, 'sampled')]
    public function one_that_had_moved_the_ledger_keeps_others_waiting_and_commits_alone(Database $database): void
    {
        $zombie = $this->zombieAt('ledger.advanced', $database);
        (new DatabaseSession($this->world))->beImpatient();
        self::assertNotNull($this->world->flush()->failure, 'The row is locked by the one that was stopped.');
        $zombie->resume();
        $zombie->result();

        $this->flush();
        $this->assertDeliveredOnce(['first', 'second']);
        $this->assertNextIsDelivered();
    }

    #[Test]
    #[TestDox('flusher stopped (SIGSTOP) mid-transaction and resumed')]
    #[DataProviderExternal(Database::class, 'sampled')]
    public function one_whose_session_the_server_had_ended_delivers_nothing(Database $database): void
    {
        if ($database === Database::Sqlite) {
            // There is no server: the session ends with its process, and it is that process which is killed.
            $this->zombieAt('ledger.advanced', $database)->kill();
        } else {
            $zombie = $this->zombieAt('rows.inserted', $database);
            (new DatabaseSession($this->world))->endNoted();
            $this->flush();
            $zombie->resume();
            self::assertIsString($zombie->result()['failure']);
        }

        $this->flush();
        $this->assertDeliveredOnce(['first', 'second']);
        $this->assertNextIsDelivered();
    }

    #[Test]
    #[TestDox('flusher stopped (SIGSTOP) mid-transaction and resumed')]
    #[DataProviderExternal(Database::class, 'sampled')]
    public function one_that_had_committed_and_not_noted_it_is_believed_by_the_ledger(Database $database): void
    {
        $zombie = $this->zombieAt('delivery.committed', $database);
        self::assertSame(1, $this->flush()->delivered, 'The second event, which it never saw.');
        $zombie->resume();
        $zombie->result();

        $this->assertDeliveredOnce(['first', 'second']);
        $this->assertNextIsDelivered();
    }

    #[Test]
    public function a_flusher_that_goes_on_to_the_end_says_that_nothing_waits(): void
    {
        $this->world->append(['first', 'second', 'third', 'fourth']);
        // With a connection of its own.
        $other = World::fromJson($this->world->toJson());
        $isMoved = false;
        $report = $this->world->flusher(new CallingCheckpoint(function (string $point) use ($other, &$isMoved): void {
            if ($point === 'delivery.begun' && ! $isMoved) {
                $isMoved = true;
                $lock = $this->world->layout()->flushLock;
                rename($lock, "{$lock}.kept");
                self::assertSame(3, $other->flush(limits: new FlushOptions(events: 3))->delivered);
                // It would stop where it saw another one's.
                rename("{$lock}.kept", $lock);
            }
        }))->flush('events', new FlushOptions(events: 2));

        self::assertNull($report->failure);
        self::assertSame(1, $report->delivered, 'With room for another one.');
        self::assertFalse($report->hasMore);
        $this->assertDeliveredOnce(['first', 'second', 'third', 'fourth']);
    }

    private function zombieAt(string $point, Database $database): Child
    {
        $this->useDatabase($database);
        $this->world->append(['first']);
        $zombie = $this->child(
            $database === Database::Sqlite ? 'flush' : 'flush in a noted session',
            points: [$point => Act::Stop],
        );
        $zombie->awaitStopped($point);
        unlink($this->world->layout()->flushLock);
        $this->world->append(['second']);

        return $zombie;
    }

    private function assertNextIsDelivered(): void
    {
        $this->world->append(['third']);
        $this->flush();
        $this->assertDeliveredOnce(['first', 'second', 'third']);
    }
}
