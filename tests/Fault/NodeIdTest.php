<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\AppendFailure;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\NodeId;
use Headroom\Spool\UnableToAppend;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\CallingCheckpoint;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Support\Snapshot;
use LogicException;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

#[Group('snapshot')]
final class NodeIdTest extends FaultTestCase
{
    #[Test]
    public function two_processes_that_make_a_node_id_at_once_agree(): void
    {
        $late = $this->child('node', points: ['node.opened' => Act::Wait]);
        $late->awaitPoint('node.opened');
        $node = $this->world->store()->node();
        $late->goOn();

        self::assertTrue(NodeId::isValid($node));
        self::assertSame($node, $late->result()['node']);
        self::assertSame($node, file_get_contents($this->file()));
    }

    #[Test]
    public function a_process_waits_for_the_one_that_is_writing_the_node_id(): void
    {
        $node = str_repeat('ab', 16);
        mkdir(dirname($this->file()));
        $writer = fopen($this->file(), 'ce');
        self::assertIsResource($writer);
        self::assertTrue(flock($writer, LOCK_EX));
        fwrite($writer, 'abab');

        $reader = $this->child('node', points: ['node.opened' => Act::Wait]);
        $reader->awaitPoint('node.opened');
        $reader->goOn();
        fwrite($writer, substr($node, 4));
        fclose($writer);

        self::assertSame($node, $reader->result()['node']);
    }

    #[Test]
    public function a_node_file_that_a_crash_left_empty_is_repaired(): void
    {
        $this->child('node', points: ['node.opened' => Act::Kill])->awaitKilled();
        self::assertSame('', file_get_contents($this->file()));

        $node = $this->world->store()->node();
        self::assertTrue(NodeId::isValid($node));
        self::assertSame($node, $this->child('node')->result()['node']);
    }

    #[Test]
    public function a_line_break_behind_the_node_id_is_no_other_id(): void
    {
        $node = $this->world->store()->node();
        file_put_contents($this->file(), "{$node}\n");

        self::assertSame($node, $this->child('node')->result()['node']);
    }

    #[Test]
    public function a_node_file_that_holds_something_else_is_refused_and_not_replaced(): void
    {
        $this->world->append(['first']);
        file_put_contents($this->file(), 'node-17');

        try {
            $this->world->store()->node();
            self::fail('The events under the old id would have been forgotten.');
        } catch (UnableToAppend $e) {
            self::assertSame([$this->file(), AppendFailure::Other], [$e->path, $e->failure]);
            Snapshot::assertPrinted('node id', 'the file holds none', $e->getMessage());
        }

        self::assertSame('node-17', file_get_contents($this->file()));
    }

    #[Test]
    public function a_missing_node_file_stops_all_processes_until_its_id_is_back(): void
    {
        $this->world->append(['first']);
        self::assertTrue(unlink($this->file()));
        $this->world->append(['second']);

        foreach (['flush', 'status'] as $what) {
            try {
                throw $what === 'status'
                    ? $this->unexpected($this->world->status())
                    : ($this->world->flush()->failure ?? $this->unexpected(null));
            } catch (UnableToAppend $e) {
                Snapshot::assertPrinted('node id', 'the file holds none', $e->getMessage());
            }
        }

        self::assertFalse($this->world->store()->isUntouched());

        // The fix that the message names.
        $slot = (string) file_get_contents("{$this->world->layout()->active}/{$this->slots()[0]}");
        self::assertSame(1, preg_match('/"node":"([0-9a-f]{32})"/', $slot, $m));
        file_put_contents($this->file(), $m[1]);
        $this->flush();
        $this->assertDeliveredOnce(['first', 'second']);
    }

    private function unexpected(mixed $seen): LogicException
    {
        return new LogicException('It went on without an id: '.get_debug_type($seen));
    }

    #[Test]
    public function a_node_id_is_made_once_and_never_again(): void
    {
        $node = $this->world->store()->node();
        $opened = [];
        $again = NodeId::of(
            dirname($this->file()),
            new Permissions,
            new CallingCheckpoint(function (string $point) use (&$opened): void {
                $opened[] = $point;
            }),
        );

        self::assertSame($node, $again);
        self::assertSame([], $opened, 'It is only read.');
    }

    private function file(): string
    {
        return "{$this->world->directory}/buffer/node";
    }

    #[Test]
    public function a_writer_whose_root_was_moved_away_takes_the_id_of_the_new_one(): void
    {
        $buffer = $this->world->buffer();
        $this->world->append(['before'], buffer: $buffer);
        $this->moveRootAway();
        $this->world->append(['after'], buffer: $buffer);
        $this->world->append(['by another']);
        $this->world->append(['later'], buffer: $buffer);

        $this->flush();
        $this->assertDeliveredOnce(['after', 'by another', 'later']);
    }

    #[Test]
    public function a_flusher_whose_root_was_moved_away_takes_the_id_of_the_new_one(): void
    {
        $flusher = $this->world->flusher();
        $this->world->append(['before']);
        self::assertSame(1, $flusher->flush('events')->delivered);
        $this->moveRootAway();
        $this->world->append(['after']);

        self::assertSame(1, $flusher->flush('events')->delivered);
        self::assertSame(['before', 'after'], $this->world->rows());
    }

    private function moveRootAway(): void
    {
        rename("{$this->world->directory}/buffer", "{$this->world->directory}/elsewhere");
    }
}
