<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\FileStore\State\NodeId;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\Database;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;

/**
 * Node lost and its disk mounted elsewhere: what a dead machine left is delivered from here,
 * with kill -9 at every step.
 */
#[Group('snapshot')]
final class AdoptionTest extends FaultTestCase
{
    private const STEPS = [
        'delivery.begun', 'ledger.advanced', 'rows.inserted', 'delivery.committed', 'delivery.begun#2',
        'ledger.advanced#2', 'rows.inserted#2', 'delivery.committed#2', 'delivery.committed#3',
    ];

    #[Test, Group('day-3')]
    #[TestDox('machine lost and its disk mounted elsewhere')]
    #[DataProviderExternal(Database::class, 'sampled')]
    public function an_adoption_killed_anywhere_goes_on_and_each_event_arrives_once(Database $database): void
    {
        $this->useDatabase($database);
        $this->world = $this->world->withBatch(2);
        $all = [];
        $sources = [];

        foreach (self::STEPS as $n => $step) {
            [$directory, $node, $left] = $this->deadMachine($n);
            $own = ["own {$n}"];
            $this->world->append($own);
            $this->child('adopt', [$directory], [$step => Act::Kill])->awaitKilled();
            $this->assertLedgerAndRowsAgree();
            $this->flush();

            $adopted = $this->child('adopt', [$directory])->result();
            self::assertSame(0, $adopted['exit'], is_string($adopted['output']) ? $adopted['output'] : '');
            $all = [...$all, ...$left, ...$own];
            $sources[$node] = count($left);
            $this->assertArrived($all);
            self::assertSame(count($left), $this->deliveredOf($node), $step);
        }

        $this->assertLedgerAndRowsAgree();
        self::assertCount(
            count(self::STEPS) + 1,
            $this->world->database()->table('spool_ledger')->pluck('source'),
            'A row for each dead machine, and this one\'s own.',
        );
        self::assertCount(array_sum($sources) + count(self::STEPS), $this->world->rows());
    }

    #[Test]
    #[TestDox('machine lost and its disk mounted elsewhere')]
    public function events_that_the_dead_machine_had_delivered_do_not_arrive_again(): void
    {
        $this->world = $this->world->withBatch(2);
        $this->world->append(self::ids('early ', 5));
        // Killed between commit and the note of it in the state.
        $this->child('flush', points: ['delivery.committed#2' => Act::Kill])->awaitKilled();
        $this->world->append(['late']);
        $directory = $this->die(0);
        $this->world->append(['own']);

        $adopted = $this->child('adopt', [$directory])->result();
        self::assertSame(0, $adopted['exit']);
        $this->flush();
        $this->assertArrived([...self::ids('early ', 5), 'late', 'own']);

        $again = $this->child('adopt', [$directory])->result();
        self::assertSame(0, $again['exit']);
        $this->assertArrived([...self::ids('early ', 5), 'late', 'own']);
    }

    #[Test]
    public function a_range_that_a_plain_sink_had_begun_comes_again_under_its_id(): void
    {
        $this->world->append(['a', 'b'], 'lines');
        $this->child('flush', ['lines'], ['sink.returned' => Act::Kill])->awaitKilled();
        $directory = $this->die(0);
        self::assertSame(0, $this->child('adopt', [$directory])->result()['exit']);

        self::assertSame(['a', 'b', 'a', 'b'], $this->world->lines());
        self::assertCount(2, $this->world->deliveries());
        self::assertCount(1, array_unique($this->world->deliveries()));
    }

    #[Test]
    public function two_adoptions_at_once_deliver_each_event_once(): void
    {
        [$directory, , $left] = $this->deadMachine(0);
        $first = $this->child('adopt', [$directory], ['rows.inserted' => Act::Wait]);
        $first->awaitPoint('rows.inserted');
        $second = $this->child('adopt', [$directory])->result();
        self::assertSame(1, $second['exit']);
        self::assertIsString($second['output']);
        Snapshot::assertPrinted('spool:adopt', 'another process flushes it', $second['output']);
        $first->goOn();
        self::assertSame(0, $first->result()['exit']);
        $this->assertArrived($left);
    }

    /** @return array{string, string, list<string>} its directory, its node id, what it accepted */
    private function deadMachine(int $n): array
    {
        $own = "{$this->world->directory}/buffer";
        $kept = is_dir($own) && rename($own, "{$own}.kept");
        $ids = self::ids("dead {$n} ", 5);
        $this->whileHolding("dead {$n} held", fn () => $this->world->append($ids));
        $node = (string) NodeId::read($own);
        $directory = $this->die($n);
        $kept && rename("{$own}.kept", $own);

        return [$directory, $node, [...$ids, "dead {$n} held.1", "dead {$n} held.2"]];
    }

    private function die(int $n): string
    {
        rename("{$this->world->directory}/buffer", "{$this->world->directory}/dead-{$n}");

        return "{$this->world->directory}/dead-{$n}";
    }

    /** @param list<string> $ids in any order */
    private function assertArrived(array $ids): void
    {
        $rows = $this->world->rows();
        sort($rows);
        sort($ids);
        self::assertSame($ids, $rows);
    }

    private function assertLedgerAndRowsAgree(): void
    {
        self::assertEquals(
            $this->world->database()->table('spool_ledger')->sum('delivered'),
            count($this->world->rows()),
        );
    }

    private function deliveredOf(string $node): int
    {
        $delivered = $this->world->database()->table('spool_ledger')->where('source', $node)->value('delivered');

        return is_numeric($delivered) ? (int) $delivered : -1;
    }
}
