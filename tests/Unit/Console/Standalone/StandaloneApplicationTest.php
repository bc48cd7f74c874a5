<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Console\Standalone;

use Headroom\Console\Registry\CommandList;
use Headroom\Console\Standalone\Bootstrap;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Command\LazyCommand;
use Symfony\Component\Console\Exception\CommandNotFoundException;
use Symfony\Component\Process\Process;

final class StandaloneApplicationTest extends TestCase
{
    /** Prints the classes of commands that are loaded when the program ends. */
    private const REPORT = <<<'PHP'
        <?php register_shutdown_function(static fn () => fwrite(STDERR, json_encode(array_values(array_filter(
            get_declared_classes(),
            static fn (string $class): bool => str_starts_with($class, 'Headroom\\')
                && is_subclass_of($class, Symfony\Component\Console\Command\Command::class)
                && ! (new ReflectionClass($class))->isAbstract(),
        )))));
        PHP;

    #[Test]
    #[Group('smoke')]
    public function the_list_loads_no_command_and_help_only_its_own(): void
    {
        $directory = TemporaryDirectory::create('lazy');
        $directory->write('report.php', self::REPORT);
        $expected = ['list' => []];

        foreach (Sample::of(array_keys(CommandList::TOOLS + CommandList::SPOOL), 6) as $class) {
            $name = (CommandList::TOOLS + CommandList::SPOOL)[$class][0];
            $expected["help {$name}"] = [$class];
        }

        try {
            $loaded = array_map(
                fn (string $words): array => $this->loaded($directory, explode(' ', $words)),
                array_combine(array_keys($expected), array_keys($expected)),
            );
        } finally {
            $directory->remove();
        }

        self::assertSame($expected, $loaded);
    }

    #[Test]
    #[TestWith(['top', 'doctor:top'])]
    #[TestWith(['headroom:top', 'doctor:top'])]
    #[TestWith(['compare', 'load:compare'])]
    #[TestWith(['slowlog', 'logs:slow'])]
    #[TestWith(['headroom:slowlog', 'logs:slow'])]
    #[TestWith(['errorlog', 'logs:error'])]
    #[TestWith(['lane', 'collect:publish'])]
    #[TestWith(['preload:bench', 'bench:preload'])]
    public function a_former_name_is_refused_with_the_present_one(string $former, string $present): void
    {
        try {
            (new Bootstrap)->application()->find($former);
            self::fail("{$former} is found.");
        } catch (CommandNotFoundException $e) {
            self::assertContains($present, $e->getAlternatives());
            self::assertStringContainsString($present, $e->getMessage());
        }
    }

    #[Test]
    public function a_command_has_its_name_with_and_without_the_prefix_of_artisan(): void
    {
        $application = (new Bootstrap)->application();

        foreach (CommandList::TOOLS as [$name]) {
            self::assertSame([$name, $name], [
                $application->find($name)->getName(),
                $application->find("headroom:{$name}")->getName(),
            ]);
            self::assertInstanceOf(LazyCommand::class, $application->get($name));
        }
    }

    /**
     * @param list<string> $words
     * @return list<string>
     */
    private function loaded(TemporaryDirectory $directory, array $words): array
    {
        $process = new Process(
            [
                Programs::php(), '-d', "auto_prepend_file={$directory->file('report.php')}",
                dirname(__DIR__, 4).'/bin/headroom', ...$words,
            ],
            $directory->path,
        );
        $process->mustRun();
        $loaded = json_decode($process->getErrorOutput(), true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($loaded);

        return array_values(array_filter($loaded, is_string(...)));
    }
}
