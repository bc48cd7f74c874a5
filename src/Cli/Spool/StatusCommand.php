<?php

declare(strict_types=1);

namespace Headroom\Cli\Spool;

use Headroom\Core\Printable;
use Headroom\Spool\BucketStatus;
use Headroom\Spool\Runtime;
use Headroom\Spool\SpoolStatus;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Helper\Table;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:status', description: 'Show what is in the buffer and what was delivered')]
final class StatusCommand extends Command
{
    public function __construct(private readonly Runtime $spool)
    {
        parent::__construct();
    }

    public function configure(): void
    {
        $this->addOption('json', null, InputOption::VALUE_NONE, 'Print JSON')
            ->addOption('max-pending', null, InputOption::VALUE_REQUIRED, 'Exit with 1 when more events than this are pending')
            ->addOption('max-age', null, InputOption::VALUE_REQUIRED, 'Exit with 1 when the oldest pending event is older than so many seconds')
            ->setHelp('accepted = delivered + dead + dropped + pending + missing. Exit codes: 0 fine, 1 a threshold is passed, a number could not be had, events are missing or wait in a bucket that is not declared, 2 wrong usage.');
    }

    public function run(InputInterface $input, OutputInterface $output): int
    {
        return (new Usage($output))->guard(fn (): int => parent::run($input, $output));
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $numbers = new Numbers($input);
        $maxPending = $numbers->natural('max-pending');
        $maxAge = $numbers->natural('max-age');
        $status = $this->spool->status();

        $input->getOption('json') === true
            ? $output->writeln(json_encode($status->toArray(), JSON_THROW_ON_ERROR | JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE), OutputInterface::OUTPUT_RAW)
            : $this->print($status, $output);

        $isWrong = array_filter($status->buckets, static fn (BucketStatus $bucket): bool => $bucket->missing !== 0 || ($bucket->sink === null && $bucket->pending > 0)) !== [];
        $isOver = ($maxPending !== null && $status->pending() > $maxPending) || ($maxAge !== null && ($status->oldestSeconds() ?? 0) > $maxAge);

        return $status->hasErrors() || $isWrong || $isOver ? Command::FAILURE : Command::SUCCESS;
    }

    private function print(SpoolStatus $status, OutputInterface $output): void
    {
        if ($status->buckets === []) {
            $output->writeln('No bucket is declared in config/spool.php, and nothing has been buffered.');

            return;
        }

        $table = new Table($output);
        $table->setHeaders(['bucket', 'sink', 'accepted', 'delivered', 'dead', 'dropped', 'pending', 'oldest']);

        foreach ($status->buckets as $bucket) {
            $table->addRow([
                OutputFormatter::escape(Printable::line($bucket->bucket)),
                $bucket->sink ?? 'none',
                $bucket->accepted,
                $bucket->delivered,
                $bucket->dead,
                $bucket->dropped,
                $bucket->pending,
                $bucket->oldestSeconds === null ? '' : sprintf('%.0f s', $bucket->oldestSeconds),
            ]);
        }

        $table->render();

        foreach ($status->buckets as $bucket) {
            foreach ($this->remarks($bucket) as $remark) {
                $output->writeln('<comment>'.OutputFormatter::escape(Printable::line("{$bucket->bucket}: {$remark}")).'</comment>');
            }
        }
    }

    /** @return list<string> */
    private function remarks(BucketStatus $bucket): array
    {
        return array_values(array_filter([
            $bucket->sink === null ? 'it is not declared in config/spool.php, so nothing delivers it' : null,
            $bucket->missing > 0 ? "{$bucket->missing} accepted events are nowhere to be found: a segment was removed or damaged" : null,
            $bucket->missing < 0 ? (-$bucket->missing).' more events than were accepted: a segment was added or delivered again' : null,
            $bucket->damaged > 0 ? "{$bucket->damaged} damaged places are kept in its quarantine directory" : null,
            $bucket->error,
            ...$bucket->held,
        ], is_string(...)));
    }
}
