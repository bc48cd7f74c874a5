<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\FileStore;

use Headroom\Core\SystemClock;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\RunningWorker;
use Headroom\Spool\FileStore\State\WorkerFiles;
use Headroom\Tests\Fault\Support\Room;
use Headroom\Tests\Support\DirectoryTestCase;
use PHPUnit\Framework\Attributes\Test;

/**
 * The list of running workers, also after one was killed.
 */
final class WorkerFilesTest extends DirectoryTestCase
{
    #[Test]
    public function a_worker_is_listed_while_it_runs_and_not_after_kill(): void
    {
        $files = $this->files();
        self::assertSame([], $this->buckets());
        [$parent, $child] = (array) stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        self::assertIsResource($parent);
        self::assertIsResource($child);
        $pid = pcntl_fork();

        if ($pid === 0) {
            $held = $files->register(['mails', 'visits'], new SystemClock);
            fwrite($child, $held === null ? 'no' : 'ok');
            sleep(60);
            exit;
        }

        self::assertSame('ok', fread($parent, 2));
        $running = $files->running();
        self::assertCount(1, $running);
        self::assertSame([$pid, ['mails', 'visits']], [$running[0]->pid, $running[0]->buckets]);
        posix_kill($pid, SIGKILL);
        pcntl_waitpid($pid, $status);

        self::assertSame([], $this->buckets());
        self::assertSame([], glob($this->directory->file('workers/*')));
    }

    #[Test]
    public function two_workers_of_one_process_id_do_not_hide_each_other(): void
    {
        // In containers that share a volume, each worker may have the pid 1.
        $first = $this->files()->register(['a'], new SystemClock);
        $second = $this->files()->register(['b'], new SystemClock);

        self::assertSame([['a'], ['b']], $this->buckets());
        self::assertIsResource($first);
        self::assertIsResource($second);
        fclose($first);
        self::assertSame([['b']], $this->buckets());
    }

    #[Test]
    public function files_of_strangers_are_neither_listed_nor_removed(): void
    {
        mkdir($this->directory->file('workers'));
        symlink('/etc/hostname', $this->directory->file('workers/1-0123abcd'));
        mkdir($this->directory->file('workers/2-0123abcd'));
        file_put_contents($this->directory->file('workers/readme'), 'mine');
        $locked = fopen($this->directory->file('workers/3-0123abcd'), 'w');
        self::assertIsResource($locked);
        flock($locked, LOCK_EX);
        fwrite($locked, '{"pid": "x"');
        fflush($locked);

        self::assertSame([], $this->files()->running());
        self::assertCount(4, (array) glob($this->directory->file('workers/*')));
    }

    #[Test]
    public function behind_a_link_no_file_is_created_or_removed(): void
    {
        mkdir($this->directory->file('elsewhere'));
        mkdir($this->directory->file('buffer'));
        file_put_contents($this->directory->file('elsewhere/12-0123abcd'), 'of another program');
        symlink($this->directory->file('elsewhere'), $this->directory->file('buffer/workers'));
        $root = $this->directory->file('buffer');
        $files = new WorkerFiles($root, new Permissions(root: $root));

        self::assertNull($files->register(['a'], new SystemClock));
        self::assertSame([], $files->running());
        self::assertSame(['.', '..', '12-0123abcd'], scandir($this->directory->file('elsewhere')));
    }

    #[Test]
    public function a_root_that_does_not_exist_is_not_created(): void
    {
        $files = new WorkerFiles($this->directory->file('buffer'), new Permissions);

        self::assertNull($files->register(['a'], new SystemClock));
        self::assertDirectoryDoesNotExist($this->directory->file('buffer'));
    }

    #[Test]
    public function files_of_workers_that_ended_do_not_pile_up(): void
    {
        $running = $this->files()->register(['a'], new SystemClock);

        for ($i = 0; $i < 5; $i++) {
            $ended = $this->files()->register(['b'], new SystemClock);
            self::assertIsResource($ended);
            fclose($ended);
        }

        self::assertCount(2, (array) glob($this->directory->file('workers/*')));
        self::assertSame([['a']], $this->buckets());
        self::assertIsResource($running);
    }

    #[Test]
    public function a_worker_on_a_full_disk_leaves_no_files(): void
    {
        $pid = pcntl_fork();

        if ($pid === 0) {
            Room::endsAt(0);
            $files = [$this->files()->register(['a'], new SystemClock), glob($this->directory->file('workers/*'))];
            posix_kill(posix_getpid(), $files === [null, []] ? SIGKILL : SIGTERM);
        }

        pcntl_waitpid($pid, $status);
        self::assertIsInt($status);
        self::assertSame(SIGKILL, pcntl_wtermsig($status));
    }

    private function files(): WorkerFiles
    {
        return new WorkerFiles($this->directory->path, new Permissions);
    }

    /** @return list<list<string>> */
    private function buckets(): array
    {
        $buckets = array_map(static fn (RunningWorker $worker): array => $worker->buckets, $this->files()->running());
        sort($buckets);

        return $buckets;
    }
}
