<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Process;

use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\PhpProcess;

final class TemporaryDirectoryTest extends TestCase
{
    #[Test]
    public function only_its_owner_enters_it(): void
    {
        $directory = TemporaryDirectory::create('test');

        self::assertSame(0o700, fileperms($directory->path) & 0o777);
        $directory->remove();
    }

    #[Test]
    public function removing_it_removes_its_files_but_not_the_target_of_a_link(): void
    {
        $elsewhere = TemporaryDirectory::create('test');
        $elsewhere->write('kept', 'x');
        $directory = TemporaryDirectory::create('test');
        mkdir($directory->file('a/b'), recursive: true);
        $directory->write('a/b/c', 'x');
        symlink($elsewhere->path, $directory->file('link'));

        $directory->remove();
        $directory->remove();

        self::assertDirectoryDoesNotExist($directory->path);
        self::assertFileExists($elsewhere->file('kept'));
        $elsewhere->remove();
    }

    /** @param string $end what becomes of the process that made it, and of its objects */
    #[Test]
    #[TestWith(['exit(1);'])]
    #[TestWith(['throw new RuntimeException("a failure");'])]
    #[TestWith(['ini_set("memory_limit", "16M"); $all = []; while (true) { $all[] = str_repeat("x", 100); }'])]
    public function it_goes_with_the_process_that_made_it(string $end): void
    {
        [$path, $isThere] = $this->made(
            '(function () use ($directory) { unset($GLOBALS["directory"]); unset($directory); '.$end.' })();',
        );

        self::assertSame('there', $isThere);
        self::assertDirectoryDoesNotExist($path);
    }

    #[Test]
    #[RequiresPhpExtension('pcntl')]
    public function a_fork_that_ends_leaves_the_directory_of_its_parent(): void
    {
        [$path, $isThere] = $this->made(
            'if (($fork = pcntl_fork()) === 0) { exit(0); } pcntl_waitpid($fork, $status);'
                .' echo is_dir($directory->path) ? " still" : " gone";',
        );

        self::assertSame('there still', $isThere);
        self::assertDirectoryDoesNotExist($path);
    }

    #[Test]
    public function however_many_were_removed_none_is_kept_in_memory(): void
    {
        [, $grown] = $this->made('
            $make = static function (int $many): int { for ($i = 0; $i < $many; $i++) { Headroom\Process\TemporaryDirectory::create("many")->remove(); } return memory_get_usage(); };
            echo " ", -$make(1000) + $make(3000);');

        self::assertLessThan(10_000, (int) substr($grown, strlen('there ')));
    }

    /** @return array{string, string} its path, and what the process printed then */
    private function made(string $then): array
    {
        $process = new PhpProcess(
            '<?php require '.var_export(dirname(__DIR__, 3).'/vendor/autoload.php', true).'; $directory = '
                .TemporaryDirectory::class.'::create("test"); mkdir($directory->file("a")); $directory->write("a/b", '
                .'"x"); echo $directory->path, "\n", is_dir($directory->path) ? "there" : ""; '.$then,
        );
        $process->run();
        $lines = explode("\n", $process->getOutput());

        return [$lines[0], $lines[1] ?? ''];
    }
}
