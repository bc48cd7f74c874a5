<?php

declare(strict_types=1);

namespace Headroom\Console\Collector;

use Headroom\Collector\Server\Collector;
use Headroom\Console\BaseCommand;
use Headroom\Console\JsonOutput;
use Headroom\Report\TextTable;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'collect:status', description: 'Show the processes of the collector')]
final class CollectStatusCommand extends BaseCommand
{
    public function __construct(private readonly Collector $collector)
    {
        parent::__construct();
    }

    public function configure(): void
    {
        $this->addJsonOption()
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command shows the processes of the collector as its supervisor saw them
                within the last second.

                    <info>php %command.full_name%</info>
                    <info>php %command.full_name% --json</info>

                Exit codes:

                  0  the collector runs
                  1  no collector runs
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $status = $this->collector->control()->status();

        if (self::isJson($input)) {
            (new JsonOutput($output))->print(array_combine(array_map(strval(...), array_keys($status)), $status));

            return self::SUCCESS;
        }

        $listen = $status['listen'] ?? [];
        $output->writeln(sprintf(
            'pid %s, %s, on %s',
            self::text($status['pid'] ?? null),
            self::text($status['state'] ?? null),
            implode(' and ', array_map(self::text(...), is_array($listen) ? $listen : [])),
        ));
        $table = TextTable::of(['process', 'pid', 'state', 'seconds', 'connections', 'requests', 'MiB']);
        $processes = $status['processes'] ?? [];

        foreach (is_array($processes) ? $processes : [] as $process) {
            if (is_array($process)) {
                $memory = $process['memory'] ?? null;
                $cells = array_map(
                    static fn (string $key): string => self::text($process[$key] ?? null),
                    ['name', 'pid', 'state', 'seconds', 'connections', 'requests'],
                );
                $table = $table->with(...[...$cells, is_int($memory) ? (string) ($memory >> 20) : '']);
            }
        }

        foreach ($table->lines() as $line) {
            $output->writeln(OutputFormatter::escape($line));
        }

        return self::SUCCESS;
    }

    private static function text(mixed $value): string
    {
        return is_scalar($value) ? (string) $value : '';
    }
}
