<?php

declare(strict_types=1);

namespace Headroom\Console\Spool;

use Headroom\Console\CommandGuard;
use Headroom\Console\JsonOutput;
use Headroom\Console\NumericOptions;
use Headroom\Console\Spool\Output\EventFormatter;
use Headroom\Spool\Delivery\LedgerReader;
use Headroom\Spool\Monitoring\PeekedEvent;
use Headroom\Spool\Services\BucketTools;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:peek', description: 'Show the events that come next, without delivering them')]
final class PeekCommand extends SpoolCommand
{
    public function configure(): void
    {
        $this->addArgument('bucket', InputArgument::REQUIRED, 'The bucket; it need not be declared')
            ->addOption('limit', null, InputOption::VALUE_REQUIRED, 'The number of events', '10')
            ->addJsonOption('Print each event as one line of JSON, with uncut values')
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command shows the events that the next flush delivers. It takes no lock
                and changes nothing.

                    <info>php %command.full_name% api-events</info>
                    <info>php %command.full_name% api-events --limit=100 --json</info>

                Exit codes:

                  0  they are shown, or none waits
                  1  the bucket cannot be read
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $limit = (new NumericOptions($input))->positive('limit') ?? 10;
        [$bucket] = (new BucketArgument($this->spool))->known($input->getArgument('bucket'));
        $isJson = self::isJson($input);

        if ($this->spool->isUntouched($bucket)) {
            $this->remark($output, $isJson, "{$bucket}: nothing has been buffered yet.");

            return self::SUCCESS;
        }

        $view = $this->spool->bucketTools($bucket);
        $ledger = $view->ledger();
        [$shown, $isMore] = $this->show($view, $ledger, $limit, $isJson, $output);

        if ($ledger->error !== null) {
            (new CommandGuard($output))->error(
                "{$bucket}: the ledger cannot be read, so the events that were delivered last may be shown, too: "
                    .$ledger->error,
            );
        }

        $this->remark($output, $isJson, match (true) {
            $shown === 0 => "{$bucket}: no event waits.",
            $isMore => "{$bucket}: more events wait; --limit shows more, spool:status counts them.",
            default => "{$bucket}: no other event waits.",
        });

        return self::SUCCESS;
    }

    /** @return array{int, bool} how many were shown, and whether there are more */
    private function show(
        BucketTools $view,
        LedgerReader $ledger,
        int $limit,
        bool $isJson,
        OutputInterface $output,
    ): array {
        $text = new EventFormatter($this->spool->clock()->micros());
        $shown = 0;

        foreach ($view->peek()->events($ledger->progress(...)) as $event) {
            if ($shown === $limit) {
                return [$shown, true];
            }

            $isJson
                ? (new JsonOutput($output))->printLine($text->document($event))
                : $this->print($text, $event, $output);
            $shown++;
        }

        return [$shown, false];
    }

    private function print(EventFormatter $text, PeekedEvent $event, OutputInterface $output): void
    {
        foreach ($text->lines($event) as $line) {
            $output->writeln($line, OutputInterface::OUTPUT_RAW);
        }
    }

    /** With --json, stdout is for JSON alone, so remarks go to stderr. */
    private function remark(OutputInterface $output, bool $isJson, string $words): void
    {
        $target = $isJson && $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output;

        if (! $isJson || $target !== $output) {
            $target->writeln($words, OutputInterface::OUTPUT_RAW);
        }
    }
}
