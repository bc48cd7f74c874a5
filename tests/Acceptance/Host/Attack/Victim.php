<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Host\Attack;

use Headroom\Process\ParentDeathSignal;
use Headroom\Process\Signal;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnixUser;
use Headroom\Tests\Support\Redis\Patience;
use PHPUnit\Framework\Assert;
use Symfony\Component\Process\PhpProcess;
use Symfony\Component\Process\Process;

/**
 * A script that root runs, in a temporary folder of its own, beside an attacker who is the user of the workers.
 */
final class Victim
{
    private const USER = 'www-data';

    private readonly TemporaryDirectory $temporary;

    private readonly TemporaryDirectory $canaries;

    private ?Process $attacker = null;

    public function __construct()
    {
        $this->temporary = TemporaryDirectory::create('victim');
        chmod($this->temporary->path, 0o755);
        $this->canaries = TemporaryDirectory::create('canaries');
        chmod($this->canaries->path, 0o711);
        $this->canaries->write('canary', 'sings');
        chmod($this->canaries->file('canary'), 0o600);
        mkdir($this->canaries->file('folder'), 0o700);
        file_put_contents($this->canaries->file('folder/canary'), 'sings');
    }

    public function attack(): self
    {
        $command = [PHP_BINARY, __DIR__.'/attacker.php', $this->temporary->path, $this->canaries->path];
        $this->attacker = $attacker = new Process(
            ParentDeathSignal::around($command, Signal::Kill, UnixUser::named(self::USER)),
            '/',
            timeout: null,
        );
        $attacker->start();
        Patience::until(static fn (): bool => str_contains($attacker->getOutput(), 'ready'), 'the attacker is there');

        return $this;
    }

    /** @return string what the script prints */
    public function run(string $code): string
    {
        $process = new PhpProcess(
            '<?php require '.var_export(dirname(__DIR__, 4).'/vendor/autoload.php', true)."; {$code}",
            '/',
            ['TMPDIR' => $this->temporary->path],
            120,
        );
        $process->run();

        return $process->getOutput().$process->getErrorOutput();
    }

    /** Nothing that is root's was read, written, given away or removed by way of the temporary folder. */
    public function assertUnharmed(): void
    {
        $canaries = $this->canaries->path;
        clearstatcache();

        Assert::assertTrue($this->attacker?->isRunning(), 'The attacker gave up.');
        Assert::assertSame(['.', '..', 'canary', 'folder'], scandir($canaries));
        Assert::assertSame(['.', '..', 'canary'], scandir("{$canaries}/folder"));

        foreach (["{$canaries}/canary", "{$canaries}/folder/canary"] as $file) {
            Assert::assertSame(['sings', 0], [file_get_contents($file), fileowner($file)], $file);
        }

        Assert::assertSame(
            [0o100600, 0, 0o040700],
            [fileperms("{$canaries}/canary"), fileowner("{$canaries}/folder"), fileperms("{$canaries}/folder")],
        );
    }

    public function end(): void
    {
        $this->attacker?->stop(0);
        (new Process(['rm', '-rf', $this->temporary->path]))->run();
        $this->canaries->remove();
        $this->temporary->remove();
    }
}
