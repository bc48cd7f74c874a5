<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\SystemClock;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\NodeId;
use Headroom\Spool\Recovery\NodeIdReplacement;
use Headroom\Spool\UnableToFlush;
use Headroom\Tests\Fault\Support\Database;
use Headroom\Tests\Fault\Support\Disks;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Fault\Support\Torture;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use Symfony\Component\Process\Process;

/**
 * The buffer's disk was set back or copied: a snapshot that was restored, a machine that was cloned.
 */
final class ForkTest extends FaultTestCase
{
    private const TORTURE_WORLDS = 60;

    #[Test]
    #[TestDox('disk restored from a snapshot, or copied with both copies in use')]
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

    /** A flush reports as delivered what its own disk holds, in each case of a copied or restored disk. */
    #[Test]
    #[TestDox('disk restored from a snapshot, or copied with both copies in use')]
    #[DataProviderExternal(Torture::class, 'databases')]
    public function a_green_flush_has_delivered_all_events_of_its_disk_once(Database $database): void
    {
        $this->useDatabase($database);
        $torture = Torture::fromEnvironment();
        $random = $torture->randomizer();
        $worlds = $torture->isOn ? self::TORTURE_WORLDS : Sample::number(8, 60);
        [$forks, $silent] = [0, []];

        for ($world = 0; $world < $worlds; $world++) {
            $disks = new Disks($this->world, "{$world}-");

            for ($step = 0; $step < 25; $step++) {
                $forks += $disks->step($random) ? 1 : 0;
            }

            $forks += $disks->settle();
            $silent = [...$silent, ...$disks->silent()];
        }

        $torture->count(['forks' => $forks, 'forks_silent' => count($silent)]);
        self::assertSame([], $silent);
        self::assertGreaterThan(0, $forks);
    }

    #[Test]
    #[TestDox('machine image with a node id, started several times')]
    public function disks_made_from_one_image_have_an_id_each(): void
    {
        $image = NodeId::of("{$this->world->directory}/image", new Permissions);
        $ids = [];

        for ($n = 0; $n < 4; $n++) {
            self::shell('cp', '-a', "{$this->world->directory}/image", "{$this->world->directory}/disk{$n}");
            $disk = $this->world->withRoot("disk{$n}");
            $disk->append(["{$n}-1", "{$n}-2"]);
            self::assertNull($disk->flush()->failure);
            $ids[] = NodeId::read("{$this->world->directory}/disk{$n}");
        }

        self::assertCount(5, array_unique([$image, ...$ids]));
        self::assertSame(['0-1', '0-2', '1-1', '1-2', '2-1', '2-2', '3-1', '3-2'], $this->world->rows());
    }

    #[Test]
    public function a_disk_keeps_its_id_once_it_has_a_bucket(): void
    {
        $this->world->append(['1'], 'a');
        $id = NodeId::read("{$this->world->directory}/buffer");
        $this->world->append(['1'], 'b');
        $this->flush();

        self::assertSame($id, NodeId::read("{$this->world->directory}/buffer"));
    }

    #[Test]
    public function a_new_id_waits_for_a_slot_that_a_writer_holds(): void
    {
        $this->world->append(['a']);
        $this->flush();
        $copy = $this->copy();
        $this->world->append(['b']);
        $this->flush();
        $this->restore($copy);
        $this->world->append(['c']);
        $slot = fopen($this->world->layout()->active.'/u'.posix_geteuid().'-0000.log', 'r+');
        self::assertIsResource($slot);
        self::assertTrue(flock($slot, LOCK_EX));
        $newId = new NodeIdReplacement($this->world->runtime());

        try {
            $newId->run((new SystemClock)->micros(), false);
            self::fail('It has taken an id beside the writer.');
        } catch (UnableToFlush $e) {
            self::assertStringContainsString('u'.posix_geteuid().'-0000.log', $e->getMessage());
        }

        flock($slot, LOCK_UN);
        self::assertTrue($newId->run(1, false)->isDone);
        $this->flush();
        self::assertSame(['a', 'b', 'c'], $this->world->rows());
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
