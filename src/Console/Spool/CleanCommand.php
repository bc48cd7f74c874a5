<?php

declare(strict_types=1);

namespace Headroom\Console\Spool;

use Headroom\Console\CommandGuard;
use Headroom\Console\JsonOutput;
use Headroom\Console\NumericOptions;
use Headroom\Console\ProgressIndicator;
use Headroom\Core\HeadroomException;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:clean', description: 'Remove delivered segments that are old enough')]
final class CleanCommand extends SpoolCommand
{
    public function configure(): void
    {
        $this->addOption(
            'older-than',
            null,
            InputOption::VALUE_REQUIRED,
            'Seconds since the delivery of a segment; by default spool.retention',
        )
            ->addJsonOption()
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command removes segments whose events are delivered. It keeps pending
                events, and the newest delivered segment of each bucket.

                    <info>php %command.full_name%</info>
                    <info>php %command.full_name% --older-than=86400</info>

                Exit codes:

                  0  done
                  1  a bucket could not be cleaned
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $olderThan = (new NumericOptions($input))->natural('older-than') ?? $this->spool->config()->retention();
        $buckets = $this->spool->isUntouched() ? [] : $this->spool->store()->buckets();
        $isJson = self::isJson($input);
        $documents = [];
        $failed = false;

        if ($buckets === [] && ! $isJson) {
            $output->writeln('Nothing has been buffered yet.');
        }

        foreach ($buckets as $name) {
            if ($this->spool->stores()->isPaused($name)) {
                $documents[] = ['bucket' => $name, 'outcome' => 'paused', 'removed' => 0, 'failure' => null];

                if (! $isJson) {
                    $output->writeln(
                        "{$name}: it is paused, so its delivered segments are kept: a restored database may need them",
                    );
                }

                continue;
            }

            [$removed, $failure] = $this->clean($name, $olderThan, $isJson ? null : $output);
            $documents[] = [
                'bucket' => $name,
                'outcome' => $failure !== null ? 'failed' : ($removed === null ? 'busy' : 'cleaned'),
                'removed' => $removed ?? 0,
                'failure' => $failure,
            ];
            $failed = $failed || $failure !== null;
        }

        if ($isJson) {
            (new JsonOutput($output))->print(['ok' => ! $failed, 'buckets' => $documents]);
        }

        return $failed ? self::FAILURE : self::SUCCESS;
    }

    /** @return array{?int, ?string} segments removed, null if another process is flushing; the error */
    private function clean(string $bucket, int $olderThan, ?OutputInterface $output): array
    {
        $bar = $output === null ? null : new ProgressIndicator($output);

        try {
            $cleaner = $this->spool->cleaner($bucket);

            if ($bar?->isShown() === true) {
                $bar->start($bucket, $cleaner->bytes());
            }

            $removed = $cleaner->clean($olderThan, $bar === null ? null : $bar->advance(...));
            $bar?->end();
            $output?->writeln(
                $removed === null
                    ? "{$bucket}: another process is flushing it"
                    : "{$bucket}: {$removed} segments removed",
            );

            return [$removed, null];
        } catch (HeadroomException $e) {
            $bar?->end();

            if ($output !== null) {
                (new CommandGuard($output))->error("{$bucket}: {$e->getMessage()}");
            }

            return [null, $e->getMessage()];
        }
    }
}
