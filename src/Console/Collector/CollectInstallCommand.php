<?php

declare(strict_types=1);

namespace Headroom\Console\Collector;

use Headroom\Console\CommandGuard;
use Headroom\Console\JsonOutput;
use Headroom\Console\Spool\BucketArgument;
use Headroom\Console\Spool\SpoolCommand;
use Headroom\Core\HeadroomException;
use Headroom\Core\Retryable;
use Headroom\Sink\CreatesSchema;
use Headroom\Sink\DataMapping;
use Headroom\Sink\SchemaOptions;
use Headroom\Sink\SchemaStep;
use Headroom\Sink\SchemaStepState;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(
    name: 'collect:install',
    description: 'Create the data stream, index template, retention or table that buckets deliver into',
)]
final class CollectInstallCommand extends SpoolCommand
{
    private const MAX_DAYS = 36_500;

    public function configure(): void
    {
        $this->addArgument(
            'buckets',
            InputArgument::IS_ARRAY,
            'Only these buckets; by default all with an elasticsearch or clickhouse sink',
        )
            ->addOption(
                'keep',
                null,
                InputOption::VALUE_REQUIRED,
                'Days after which the sink removes events; by default it keeps them forever',
            )
            ->addOption(
                'data',
                null,
                InputOption::VALUE_REQUIRED,
                'Mapping of the column data in an index: flattened (searchable by path), object (searchable as you map'
                    .' it) '
                    .'or stored (not searchable)',
                DataMapping::Flattened->value,
            )
            ->addOption(
                'dry-run',
                null,
                InputOption::VALUE_NONE,
                'Print the requests that would be sent, and change nothing',
            )
            ->addJsonOption()
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command creates what buckets deliver into. You can run it again: it
                creates nothing twice, and never changes what another program has created.

                    <info>php %command.full_name% --dry-run</info>
                    <info>php %command.full_name% events --keep=90</info>

                Exit codes:

                  0  everything exists as it should
                  1  something differs, or could not be created
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $wish = $this->wish($input);
        $sinks = $this->sinks($input);
        $isJson = self::isJson($input);
        $results = [];
        $isWell = true;

        foreach ($sinks as [$bucket, $sink]) {
            $failure = null;
            $steps = [];

            try {
                $steps = $sink->setUp($wish);
            } catch (HeadroomException $e) {
                // If the cluster of one bucket is down, the other buckets must still be set up.
                $failure = $e->getMessage()
                    .($e instanceof Retryable
                        ? ' No event was sent. Run this command again when the server answers.'
                        : '');
            }

            $isWell = $isWell
                && $failure === null
                && array_filter($steps, static fn (SchemaStep $step): bool => $step->state->needsAttention()) === [];
            $results[] = [
                'bucket' => $bucket,
                'steps' => array_map(self::document(...), $steps),
                'failure' => $failure,
            ];

            if (! $isJson) {
                $this->print($bucket, $steps, $failure, $wish->isDryRun, $output);
            }
        }

        if ($isJson) {
            (new JsonOutput($output))->print([
                'installed' => $isWell && ! $wish->isDryRun,
                'dry' => $wish->isDryRun,
                'buckets' => $results,
            ]);
        }

        return $isWell ? self::SUCCESS : self::FAILURE;
    }

    /** @throws InvalidArgumentException */
    private function wish(InputInterface $input): SchemaOptions
    {
        $keep = $input->getOption('keep');
        $data = $input->getOption('data');
        $days = is_string($keep) && preg_match('/\A[1-9]\d{0,4}\z/', $keep) === 1 ? max(1, (int) $keep) : null;

        if ($keep !== null && ($days === null || $days > self::MAX_DAYS)) {
            throw new InvalidArgumentException(
                '--keep is '.(is_string($keep) ? "'{$keep}'" : 'not a number')
                    .'. It must be a number of days from 1 to '.self::MAX_DAYS
                    .'. Without --keep, events are kept forever.',
            );
        }

        $mapping = is_string($data) ? DataMapping::tryFrom($data) : null;

        return new SchemaOptions(
            $days,
            $mapping ?? throw new InvalidArgumentException(
                '--data is '.(is_string($data) ? "'{$data}'" : 'empty').'. It must be one of '
                    .implode(', ', array_column(DataMapping::cases(), 'value')).'.',
            ),
            $input->getOption('dry-run') === true,
        );
    }

    /**
     * @return non-empty-list<array{string, CreatesSchema}> with their buckets
     *
     * @throws InvalidArgumentException
     */
    private function sinks(InputInterface $input): array
    {
        /** @var list<string> $asked */
        $asked = $input->getArgument('buckets');
        $sinks = [];

        foreach ((new BucketArgument($this->spool))->declared($asked) as $name) {
            $bucket = $this->spool->config()->bucket($name);
            $sink = $bucket === null ? null : $this->spool->sinks()->of($bucket);

            if ($sink instanceof CreatesSchema) {
                $sinks[] = [$name, $sink];
            } elseif ($asked !== []) {
                throw new InvalidArgumentException(
                    "Bucket '{$name}' has the sink '{$bucket?->sink}', which needs no set-up here. This command sets"
                        .' up '
                        .'elasticsearch and clickhouse.',
                );
            }
        }

        return $sinks !== []
            ? $sinks
            : throw new InvalidArgumentException(
                'No bucket has an elasticsearch or clickhouse sink. Declare one under spool.buckets, such as '
                    ."'events' => ['sink' => 'elasticsearch', 'url' => 'http://127.0.0.1:9200', 'index' => 'events'].",
            );
    }

    /** @return array<string, mixed> */
    private static function document(SchemaStep $step): array
    {
        return [
            'state' => $step->state->value,
            'what' => $step->what,
            'note' => $step->note,
            'request' => $step->request,
        ];
    }

    /** @param list<SchemaStep> $steps */
    private function print(
        string $bucket,
        array $steps,
        ?string $failure,
        bool $isDryRun,
        OutputInterface $output,
    ): void {
        foreach ($steps as $step) {
            $state = match ($step->state) {
                SchemaStepState::Planned => 'would be created',
                SchemaStepState::Unchanged => 'exists',
                SchemaStepState::Unsupported => 'is not possible',
                default => $step->state->value,
            };
            $output->writeln(OutputFormatter::escape(TerminalText::line("{$bucket}: {$step->what}: {$state}")));

            if ($step->note !== '') {
                $output->writeln('    '.OutputFormatter::escape(TerminalText::line($step->note)));
            }

            if ($isDryRun && $step->request !== '') {
                $output->writeln($step->request, OutputInterface::OUTPUT_RAW);
            }
        }

        if ($failure !== null) {
            (new CommandGuard($output))->error("{$bucket}: {$failure}");
        }
    }
}
