<?php

declare(strict_types=1);

namespace Headroom\Console\Spool;

use Headroom\Console\JsonOutput;
use Headroom\Spool\Health\NodesAreSilent;
use Headroom\Spool\Monitoring\Nodes;
use Headroom\Spool\Monitoring\NodeStatus;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:forget-node', description: 'Remove a machine that is gone from spool:status --all')]
final class ForgetNodeCommand extends SpoolCommand
{
    private const SHORTEST = 6;

    public function configure(): void
    {
        $this->addArgument(
            'node',
            InputArgument::OPTIONAL,
            'Its id, or at least the first 6 characters of it, as spool:status --all shows it',
        )
            ->addOption('empty', null, InputOption::VALUE_NONE, 'Forget all silent machines that have no pending event')
            ->addOption(
                'force',
                null,
                InputOption::VALUE_NONE,
                'Forget it even if events wait on it; spool:status no longer reports them',
            )
            ->addJsonOption()
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command removes the heartbeats of a machine that is gone for good, and
                the record of how much of its disk was moved into Redis. It removes no event and no row of the ledger.
                To delete dead letters, use <info>spool:forget</info>.

                    <info>php %command.full_name% 5f0c7a</info>
                    <info>php %command.full_name% --empty</info>

                Exit codes:

                  0  done
                  1  the machine is not known, still runs, or has events waiting
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $asked = $input->getArgument('node');
        $isEmpty = $input->getOption('empty') === true;

        if (is_string($asked) === $isEmpty) {
            throw new InvalidArgumentException('Name a node, or give --empty.');
        }

        $usage = $this->errors($input, $output);
        $nodes = $this->spool->nodes();
        $all = $nodes?->all();

        if ($nodes === null || $all === null) {
            return $usage->fail('There are no heartbeats, so there is no machine to forget.');
        }

        $latest = NodesAreSilent::latest($all);

        if ($isEmpty) {
            return $this->forget(
                $nodes,
                array_values(array_filter(
                    $latest,
                    static fn (NodeStatus $node): bool => $node->isSilent() && $node->beat->pending() === 0,
                )),
                $input,
                $output,
            );
        }

        $found = array_values(array_filter(
            $latest,
            static fn (NodeStatus $node): bool
                => is_string($asked) && strlen($asked) >= self::SHORTEST && str_starts_with($node->beat->node, $asked),
        ));
        $obstacle = count($found) === 1
            ? $this->obstacle($found[0], $input->getOption('force') === true)
            : (is_string($asked) ? "'{$asked}'" : 'It')
                .(count($found) > 1
                    ? ' is the beginning of several ids. Give more characters.'
                    : ' is not an id in spool:status --all, nor the first '.self::SHORTEST
                        .' or more characters of one.');

        return $obstacle === null ? $this->forget($nodes, $found, $input, $output) : $usage->fail($obstacle);
    }

    private function obstacle(NodeStatus $node, bool $isForced): ?string
    {
        if (! $node->isSilent()) {
            return "{$node->beat->host} was seen {$node->seenSeconds} s ago. Its next heartbeat would add it again.";
        }

        return $node->beat->pending() > 0 && ! $isForced
            ? NodesAreSilent::message($node).' '.NodesAreSilent::fix($node)
            : null;
    }

    /** @param list<NodeStatus> $nodes */
    private function forget(Nodes $table, array $nodes, InputInterface $input, OutputInterface $output): int
    {
        foreach ($nodes as $node) {
            // Redis forgets the node first. If the second step fails, the node is still listed, and the command can be
            // run again.
            $this->spool->stores()->forget($node->beat->node);
            $table->forget($node->beat->node);
        }

        if (self::isJson($input)) {
            (new JsonOutput($output))->print(['forgotten' => array_map(
                static fn (NodeStatus $node): array
                    => ['node' => $node->beat->node, 'host' => $node->beat->host, 'pending' => $node->beat->pending()],
                $nodes,
            )]);
        } else {
            $output->writeln(
                $nodes === []
                    ? 'There is no silent node without pending events.'
                    : 'Forgotten: '
                        .TerminalText::line(implode(
                            ', ',
                            array_map(
                                static fn (NodeStatus $node): string => "{$node->beat->host} ({$node->beat->node})",
                                $nodes,
                            ),
                        ))
                        .'.',
            );
        }

        return self::SUCCESS;
    }
}
