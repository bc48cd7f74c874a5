<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\UnderLoad\Profile;

use Headroom\Core\SystemClock;
use Headroom\Doctor\UnderLoad\Profile\SamplingScript;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * Only the pool that is sampled finds the script, and it is no harm where a doctor that was killed has left it.
 */
final class SamplingScriptTest extends TestCase
{
    private SamplingScript $script;

    protected function setUp(): void
    {
        $this->script = SamplingScript::write(new SystemClock);
    }

    protected function tearDown(): void
    {
        $this->script->remove();
    }

    #[Test]
    public function the_directory_cannot_be_listed_by_others_and_goes_with_it(): void
    {
        $directory = dirname($this->script->path());

        self::assertSame(0o711, (int) fileperms($directory) & 0o777);
        self::assertMatchesRegularExpression('~/[0-9a-f]{32}\.php\z~', $this->script->path());

        $this->script->remove();
        self::assertDirectoryDoesNotExist($directory);
    }

    #[Test]
    public function opcache_never_keeps_it(): void
    {
        self::assertGreaterThan(time() + 50, filemtime($this->script->path()));
    }

    #[Test]
    public function it_runs_nothing_once_its_time_is_over(): void
    {
        $page = dirname($this->script->path()).'/page.php';
        file_put_contents($page, '<?php echo "ran";');
        self::assertSame('ran', $this->ran($page));

        $code = (string) file_get_contents($this->script->path());
        $past = preg_replace('/(time\(\) > )\d+/', '${1}'.(time() - 1), $code, -1, $count);
        self::assertSame(1, $count);
        chmod($this->script->path(), 0o600);
        file_put_contents($this->script->path(), $past);
        self::assertSame('', $this->ran($page));
    }

    /** Without excimer, a class of its name stands in: what it samples is no part of this. */
    private function ran(string $page): string
    {
        $excimer = 'class ExcimerProfiler { public function __call(string $name, array $given): array { return []; } }'
            .' defined("EXCIMER_CPU") || define("EXCIMER_CPU", 1);';
        $code = (extension_loaded('excimer') ? '' : $excimer).' require $argv[1];';
        $process = new Process([PHP_BINARY, '-r', $code, $this->script->path()], null, [
            'HEADROOM_SCRIPT' => $page,
            'HEADROOM_NAME' => '/page.php',
        ]);
        $process->mustRun();

        return $process->getOutput();
    }

    #[Test]
    public function samples_are_read_once_and_half_lines_later(): void
    {
        $directory = dirname($this->script->path());
        $names = scandir($directory);
        self::assertIsArray($names);
        $samples = array_filter($names, static fn (string $name): bool => str_ends_with($name, '.out'));
        self::assertCount(1, $samples);
        $file = "{$directory}/".implode('', $samples);
        $line = '{"samples":3,"cpu_us":4000,"functions":[]}';

        self::assertCount(0, $this->script->samples());
        file_put_contents($file, "{$line}\n".substr($line, 0, 9), FILE_APPEND);
        self::assertCount(1, $this->script->samples());
        self::assertCount(0, $this->script->samples());
        file_put_contents($file, substr($line, 9)."\n{$line}\n", FILE_APPEND);
        self::assertCount(2, $this->script->samples());
    }
}
