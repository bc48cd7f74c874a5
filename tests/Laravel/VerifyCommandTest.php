<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use FilesystemIterator;
use Headroom\Cli\Spool\CleanCommand;
use Headroom\Cli\Spool\FlushCommand;
use Headroom\Cli\Spool\VerifyCommand;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Laravel\Support\Spool;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use SplFileInfo;

/**
 * Everything that spool:verify can find, each made by hand.
 */
final class VerifyCommandTest extends TestCase
{
    private Spool $spool;

    private string $bucket;

    protected function setUp(): void
    {
        $this->spool = new Spool;
        $this->bucket = "{$this->spool->path}/buckets/api-events";
    }

    protected function tearDown(): void
    {
        $this->spool->remove();
    }

    #[Test]
    public function what_nobody_has_touched_is_all_right_and_counted_to_the_event(): void
    {
        $this->spool->add(3);
        $this->flush();
        $this->sealedButNotDelivered(2);
        $this->spool->add(4);
        $verified = $this->verify();

        self::assertSame(0, $verified->exit, $verified->all());
        self::assertMatchesRegularExpression('/\Aapi-events: all right; [\d,]+ bytes in 2 segments and 1 slot, 12 frames; accepted 9 = delivered 3 \+ dead 0 \+ pending 6 \+ missing 0\n\z/', $verified->out);
    }

    #[Test]
    public function it_changes_nothing_and_makes_nothing(): void
    {
        self::assertSame([0, "Nothing has been buffered yet.\n"], [$this->verify()->exit, $this->verify()->out]);
        self::assertDirectoryDoesNotExist($this->spool->path);

        $this->spool->add(1);
        $this->flush();
        $this->spool->add(1);
        $before = $this->traces();
        $this->verify();
        self::assertSame($before, $this->traces());
    }

    #[Test]
    public function a_segment_that_was_removed_is_missing_to_the_event_and_named(): void
    {
        $this->sealedButNotDelivered(4);
        $this->sealedButNotDelivered(3);
        unlink($this->segment('sealed', 1));
        $verified = $this->verify();

        self::assertSame(1, $verified->exit);
        self::assertStringContainsString("WRONG api-events: 00000000000000000001.seg: This segment is gone, removed behind the buffer's back.", $verified->out);
        self::assertStringContainsString('Exactly 4 accepted events are missing: 7 were sealed, 0 delivered, 0 are dead, 3 lie in segments and are not delivered. All of them were in what is gone.', $verified->out);
        self::assertSame(4, $this->numbers()['missing']);
    }

    #[Test]
    public function the_last_segment_is_missed_as_well(): void
    {
        $this->sealedButNotDelivered(4);
        $this->sealedButNotDelivered(3);
        unlink($this->segment('sealed', 2));

        self::assertStringContainsString('Exactly 3 accepted events are missing', $this->verify()->out);
        unlink($this->segment('sealed', 1));
        self::assertStringContainsString('00000000000000000001.seg: This segment and those up to 00000000000000000002.seg, 2 in all, are gone', $this->verify()->out);
        self::assertSame(7, $this->numbers()['missing']);
    }

    #[Test]
    public function a_hole_in_what_is_delivered_is_a_note_and_cleaning_makes_none(): void
    {
        for ($i = 0; $i < 4; $i++) {
            $this->spool->add(1);
            $this->flush();
        }

        unlink($this->segment('completed', 2));
        $verified = $this->verify();
        self::assertSame(0, $verified->exit);
        self::assertStringContainsString('NOTE api-events: 00000000000000000002.seg: This segment is gone, removed by somebody else', $verified->out);

        $this->spool->run(CleanCommand::class, ['--older-than' => '0']);
        self::assertFileDoesNotExist($this->segment('completed', 3));
        self::assertStringStartsWith('api-events: all right', $this->verify()->out);
    }

    #[Test]
    public function a_flipped_bit_is_found_wherever_it_lies(): void
    {
        $this->sealedButNotDelivered(3);
        $this->flip($this->segment('sealed', 1), 'event-1');
        $verified = $this->verify();
        self::assertSame(1, $verified->exit);
        self::assertMatchesRegularExpression('/WRONG api-events: 0+1\.seg: \d+ bytes from byte \d+ on are damaged/', $verified->out);
        self::assertStringContainsString('Exactly 1 accepted events are missing', $verified->out);

        $this->spool->database()->statement('alter table elsewhere rename to api_events');
        $this->flush();
        $verified = $this->verify();
        self::assertStringContainsString('They were passed over when the rest was delivered.', $verified->out);
        self::assertSame([3, 2, 1, 1], [$this->numbers()['accepted'], $this->numbers()['delivered'], $this->numbers()['missing'], $this->numbers()['damaged']]);

        $this->spool->add(2);
        $this->flip($this->glob('active/*')[0], 'event-1');
        self::assertMatchesRegularExpression('/WRONG api-events: u\d+-0000\.log: \d+ bytes from byte/', $this->verify()->out);
    }

    #[Test]
    public function another_bucket_s_segment_says_whose_it_is(): void
    {
        $this->spool->createEvents('others');
        $this->spool->buckets['others'] = ['sink' => 'database', 'table' => 'others'];
        $this->spool->add(2, 'others');
        $this->flush();
        $this->sealedButNotDelivered(1);
        copy("{$this->spool->path}/buckets/others/completed/00000000000000000001.seg", $this->segment('sealed', 1));
        $verified = $this->verify(['bucket' => 'api-events']);

        self::assertSame(1, $verified->exit);
        self::assertStringContainsString("00000000000000000001.seg: It says that it is of bucket 'others' of node '", $verified->out);
        self::assertStringContainsString('There are 1 more events than were accepted', $verified->out);
    }

    #[Test]
    public function another_node_s_segment_says_whose_it_is(): void
    {
        $this->sealedButNotDelivered(1);
        $node = (string) file_get_contents("{$this->spool->path}/node");
        file_put_contents("{$this->spool->path}/node", str_repeat('a', 32));

        self::assertStringContainsString("It says that it is of bucket 'api-events' of node '{$node}', but lies in bucket api-events of node ".str_repeat('a', 32), $this->verify()->out);
    }

    #[Test]
    public function a_copy_of_a_segment_is_found_under_whatever_name(): void
    {
        $this->spool->add(2);
        $this->flush();
        copy($this->segment('completed', 1), $this->segment('sealed', 1));
        self::assertStringContainsString('00000000000000000001.seg: It lies in sealed/ and in completed/, and they are two files', $this->verify()->out);

        rename($this->segment('sealed', 1), $this->segment('sealed', 2));
        $verified = $this->verify();
        self::assertStringContainsString('00000000000000000002.seg: It holds the very events of 00000000000000000001.seg: a copy, which delivers 2 events twice.', $verified->out);
        self::assertStringContainsString('Its number is beyond 1, the last one given out', $verified->out);
        self::assertSame(1, $verified->exit);

        rename($this->segment('sealed', 2), "{$this->bucket}/active/u0-0007.log");
        self::assertStringContainsString('u0-0007.log: It holds the very events of', $this->verify()->out);
    }

    #[Test]
    public function a_slot_under_another_user_s_name_is_found(): void
    {
        $this->spool->add(1);
        rename($this->glob('active/*')[0], "{$this->bucket}/active/u4711-0000.log");

        self::assertStringContainsString('u4711-0000.log: It says that user '.posix_geteuid().' writes it', $this->verify()->out);
    }

    #[Test]
    public function the_ledger_is_held_against_the_state(): void
    {
        $this->spool->add(3);
        $this->flush();
        $ledger = $this->spool->database()->table('spool_ledger');
        $row = (array) $ledger->first();

        $this->spool->database()->table('spool_ledger')->update(['delivered' => 2]);
        self::assertStringContainsString('It stands where the state file does, but counts 2 delivered and 0 dead instead of 3 and 0', $this->verify()->out);

        $this->spool->database()->table('spool_ledger')->update(['delivered' => 0, 'position' => '00000000000000000000-00000000000000000000-00000']);
        $verified = $this->verify();
        self::assertSame([0, 3], [$verified->exit, $this->numbers()['pending']], $verified->out);
        self::assertStringContainsString('NOTE api-events: ledger: It is 3 events behind what was delivered once: that database was restored.', $verified->out);

        $this->spool->database()->table('spool_ledger')->update(['delivered' => 9, 'position' => '00000000000000000005-00000000000000000000-00000']);
        self::assertStringContainsString('It is 6 events ahead of the state file, but there are 0 between', $this->verify()->out);

        $this->spool->database()->table('spool_ledger')->delete();
        self::assertStringContainsString('WRONG api-events: ledger: It has no row for this log', $this->verify()->out);

        $this->spool->database()->table('spool_ledger')->insert($row);
        self::assertSame(0, $this->verify()->exit);
        $this->spool->database()->statement('drop table spool_ledger');
        self::assertStringContainsString('no such table: spool_ledger', $this->verify()->out);
    }

    #[Test]
    public function a_cursor_that_stands_in_the_middle_of_a_frame_is_found(): void
    {
        $this->sealedButNotDelivered(2);
        $this->spool->database()->table('spool_ledger')->update(['position' => '00000000000000000001-00000000000000000131-00000']);

        self::assertStringContainsString('WRONG api-events: cursor: It stands at 00000000000000000001-00000000000000000131-00000, where no frame', $this->verify()->out);
    }

    #[Test]
    public function a_state_file_that_is_gone_or_damaged_is_said(): void
    {
        $this->spool->add(1);
        $this->flush();
        file_put_contents("{$this->bucket}/state", 'damaged');
        self::assertStringContainsString('Both records of the state file', $this->verify()->out);
        self::assertSame(1, $this->verify()->exit);

        unlink("{$this->bucket}/state");
        self::assertStringContainsString('WRONG api-events: state: The state file is gone, while 1 segments are there.', $this->verify()->out);
    }

    #[Test]
    public function copies_dead_letters_and_leftovers_are_looked_at(): void
    {
        $this->sealedButNotDelivered(2);
        $this->flip($this->segment('sealed', 1), 'event-1');
        $this->spool->database()->statement('alter table elsewhere rename to api_events');
        $this->flush();
        $copy = $this->glob('quarantine/*')[0];
        self::assertStringNotContainsString('quarantine/0', $this->verify()->out);
        file_put_contents($copy, 'other bytes');
        self::assertStringContainsString('Its bytes are not those at that place in the segment', $this->verify()->out);

        mkdir("{$this->bucket}/dead");
        file_put_contents("{$this->bucket}/dead/1.json", '{"event":{}}');
        file_put_contents("{$this->bucket}/dead/2.json", '{"event":');
        self::assertStringContainsString('WRONG api-events: dead/2.json: This dead letter is no JSON any more', $this->verify()->out);
        self::assertSame(2, $this->numbers()['dead_letters']);

        touch("{$this->bucket}/state.new");
        self::assertStringNotContainsString('state.new', $this->verify()->out, 'Somebody may be writing it.');
        touch("{$this->bucket}/state.new", (int) filemtime("{$this->bucket}/state") - 300);
        self::assertMatchesRegularExpression('/NOTE api-events: state\.new: A crash 30\d s ago left it half written\. Nothing reads it\. To do: Remove it\./', $this->verify()->out);
    }

    #[Test]
    public function a_frame_that_only_a_newer_version_can_read_is_wrong(): void
    {
        $this->spool->add(1);
        $slot = $this->glob('active/*')[0];
        $bytes = (string) file_get_contents($slot);
        $at = (int) strpos($bytes, "\xF5HR\x01", 4);
        $frame = substr($bytes, 0, $at).substr($bytes, $at, 4)."\x07".substr($bytes, $at + 5, -4);
        file_put_contents($slot, $frame.hash('crc32c', substr($frame, $at), true));

        self::assertStringContainsString("The frame at byte {$at} is whole, but nothing that this version can read.", $this->verify()->out);
    }

    #[Test]
    public function json_has_the_numbers_and_the_findings(): void
    {
        $this->sealedButNotDelivered(2);
        unlink($this->segment('sealed', 1));
        $document = $this->json();

        self::assertSame(['ok', 'path', 'buckets', 'findings'], array_keys($document));
        self::assertFalse($document['ok']);
        self::assertIsArray($document['findings']);
        self::assertSame(['subject', 'message', 'mend', 'fatal'], array_keys((array) $document['findings'][0]));
    }

    #[Test]
    public function a_bucket_nobody_knows_is_wrong_usage_and_an_undeclared_one_is_verified(): void
    {
        $this->spool->add(1, 'forgotten');

        self::assertSame(2, $this->verify(['bucket' => 'api-event'])->exit);
        self::assertStringContainsString('Known: api-events, forgotten.', $this->verify(['bucket' => 'api-event'])->err);
        self::assertStringStartsWith('forgotten: all right', $this->verify(['bucket' => 'forgotten'])->out);
        self::assertSame("api-events: nothing has been buffered yet\n", $this->verify(['bucket' => 'api-events'])->out);
    }

    private function sealedButNotDelivered(int $events): void
    {
        $tables = array_column($this->spool->database()->select("select name from sqlite_master where type = 'table'"), 'name');
        in_array('api_events', $tables, true) && $this->spool->database()->statement('alter table api_events rename to elsewhere');
        $this->spool->add($events);
        $this->flush();
    }

    private function flush(): void
    {
        $this->spool->run(FlushCommand::class, ['--now' => true]);
    }

    /** @param array<string, mixed> $input */
    private function verify(array $input = []): Outcome
    {
        return $this->spool->run(VerifyCommand::class, $input);
    }

    /** @return array<mixed> */
    private function json(): array
    {
        $document = json_decode($this->verify(['--json' => true])->out, true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($document);

        return $document;
    }

    /** @return array<mixed> */
    private function numbers(): array
    {
        $buckets = $this->json()['buckets'];
        self::assertIsArray($buckets);

        return (array) $buckets[0];
    }

    private function segment(string $stage, int $sequence): string
    {
        return sprintf('%s/%s/%020d.seg', $this->bucket, $stage, $sequence);
    }

    /** @return non-empty-list<string> */
    private function glob(string $pattern): array
    {
        $paths = glob("{$this->bucket}/{$pattern}");
        self::assertNotEmpty($paths);

        return $paths;
    }

    private function flip(string $path, string $where): void
    {
        $bytes = (string) file_get_contents($path);
        $offset = (int) strpos($bytes, $where);
        $bytes[$offset] = chr(ord($bytes[$offset]) ^ 1);
        file_put_contents($path, $bytes);
    }

    /** @return array<string, string> */
    private function traces(): array
    {
        clearstatcache();
        $traces = [];

        /** @var SplFileInfo $entry */
        foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($this->spool->path, FilesystemIterator::SKIP_DOTS), RecursiveIteratorIterator::SELF_FIRST) as $entry) {
            $traces[$entry->getPathname()] = "{$entry->getInode()} {$entry->getSize()} {$entry->getMTime()} {$entry->getCTime()}".($entry->isFile() ? md5_file($entry->getPathname()) : '');
        }

        ksort($traces);

        return $traces;
    }
}
