<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Preload;

use Headroom\Process\Proc;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnixUser;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Support\Printed;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;
use Workbench\Rig\Production;

/**
 * A proof that ends early: by a signal, or where its workers cannot begin.
 */
final class InterruptedProofTest extends TestCase
{
    private Generation $generation;

    protected function setUp(): void
    {
        Needs::webStack();
        $this->generation = new Generation(Release::shared());
        file_put_contents($this->release()->path('urls.txt'), "# two pages\n/pages/json\nGET /pages/blade\n");
        $this->generation->sweep();
    }

    #[Test]
    #[Group('proof')]
    public function killed_in_the_middle_it_leaves_the_old_list_and_no_process(): void
    {
        $this->release()->artisan('headroom:preload', '--urls=urls.txt');
        $before = file_get_contents($this->generation->script());
        $directory = TemporaryDirectory::create('kill');
        chmod($directory->path, 0o755);
        $process = $this->proof($directory);
        $process->start();
        Printed::by($process, 'round 1');
        $family = (new Proc)->descendants((int) $process->getPid());
        $process->signal(9);
        $process->wait();

        self::assertNotSame([], $family);
        self::assertSame($before, file_get_contents($this->generation->script()));

        // Between its look and its end it may have started another PHP-FPM, which has the directory in its title.
        $until = microtime(true) + 5;

        do {
            usleep(10_000);
            $left = [...array_filter(array_keys($family), (new Proc)->isAlive(...)), ...self::named($directory->path)];
        } while ($left !== [] && microtime(true) < $until);

        array_map(static fn (int $pid): bool => posix_kill($pid, 9), $left);
        $directory->remove();
        self::assertSame([], $left);
    }

    #[Test]
    #[Group('proof')]
    public function asked_to_end_it_leaves_nothing_behind(): void
    {
        $directory = TemporaryDirectory::create('term');
        chmod($directory->path, 0o755);
        $process = $this->proof($directory);
        $process->start();
        Printed::by($process, 'round 1');
        $process->signal(15);
        $process->wait();
        $left = [...(array) glob("{$directory->path}/*"), ...$this->generation->candidates()];
        $directory->remove();

        self::assertSame([], $left);
        self::assertFileDoesNotExist($this->generation->script());
    }

    #[Test]
    public function a_temporary_directory_that_workers_may_not_enter_is_named(): void
    {
        $account = UnixUser::forWorkers('www-data')
            ?? self::markTestSkipped('Only who is root starts workers of another user.');
        $directory = TemporaryDirectory::create('closed');
        $process = $this->proof($directory);
        $process->run();
        $left = scandir($directory->path);
        $directory->remove();

        self::assertSame(1, $process->getExitCode());
        Sentence::assertNames([$directory->path, $account->user], $process->getOutput().$process->getErrorOutput());
        self::assertSame(['.', '..'], $left);
    }

    /** @return list<int> processes with it in their command line */
    private static function named(string $directory): array
    {
        $pids = [];

        foreach ((array) glob('/proc/[0-9]*/cmdline') as $file) {
            if (str_contains((string) @file_get_contents((string) $file), $directory)) {
                $pids[] = (int) basename(dirname((string) $file));
            }
        }

        return $pids;
    }

    private function proof(TemporaryDirectory $temporary): Process
    {
        return new Process(
            [PHP_BINARY, $this->release()->path('artisan'), 'headroom:preload', '--urls=urls.txt'],
            $this->release()->path(),
            ['TMPDIR' => $temporary->path],
        );
    }

    private function release(): Production
    {
        return $this->generation->release;
    }
}
