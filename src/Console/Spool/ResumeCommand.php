<?php

declare(strict_types=1);

namespace Headroom\Console\Spool;

use Headroom\Console\CommandGuard;
use Headroom\Console\JsonOutput;
use Headroom\Spool\Services\PauseSwitch;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:resume', description: 'Resume the delivery of a paused bucket')]
final class ResumeCommand extends SpoolCommand
{
    public function configure(): void
    {
        $this->addArgument('bucket', InputArgument::OPTIONAL, 'Only this bucket; by default all that are paused')
            ->addJsonOption()
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command ends a pause. The next flush, or the next round of a worker,
                delivers the events.

                    <info>php %command.full_name% api-events</info>
                    <info>php %command.full_name%</info>

                Exit codes:

                  0  no bucket is paused any more; with a name, that bucket is not
                  1  the pause could not be ended, or Redis did not answer
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $stores = $this->spool->stores();
        $asked = $input->getArgument('bucket');
        $paused = $stores->paused();
        $unknown = is_string($asked) ? [] : $paused->unknown;
        $buckets = is_string($asked) && ! in_array($asked, $paused->names, true)
            ? (new BucketArgument($this->spool))->known($asked)
            : (is_string($asked) ? [$asked] : $paused->names);

        $resumed = array_map(
            fn (string $name): array
                => ['bucket' => $name, 'resumed' => (new PauseSwitch($this->spool))->resume($name)],
            $buckets,
        );

        if (self::isJson($input)) {
            (new JsonOutput($output))->print([
                'ok' => $unknown === [],
                'buckets' => $resumed,
                'unknown' => array_map(
                    static fn (int|string $name, string $why): array => ['bucket' => (string) $name, 'error' => $why],
                    array_keys($unknown),
                    $unknown,
                ),
            ]);
        } else {
            $this->print($resumed, $unknown, $output);
        }

        return $unknown === [] ? self::SUCCESS : self::FAILURE;
    }

    /**
     * @param list<array{bucket: string, resumed: bool}> $resumed
     * @param array<array-key, string> $unknown
     */
    private function print(array $resumed, array $unknown, OutputInterface $output): void
    {
        if ($resumed === [] && $unknown === []) {
            $output->writeln('No bucket is paused.');
        }

        array_map(
            static fn (array $one)
                => $output->writeln($one['bucket'].($one['resumed'] ? ': resumed' : ': it was not paused')),
            $resumed,
        );

        foreach ($unknown as $name => $why) {
            (new CommandGuard($output))->error(
                "{$name}: not resumed, because it is not known whether it is paused: {$why} Fix that and run this"
                    .' command '
                    .'again.',
            );
        }
    }
}
