<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use Headroom\Load\Plan;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputDefinition;
use Symfony\Component\Console\Input\InputOption;

/**
 * The argument and the options of `load`, with the names that k6, wrk, hey and ab use.
 *
 * @internal
 */
final readonly class LoadDefinition
{
    /** The options by group, as LoadHelp prints them: name, shortcut, name of the value, description. */
    public const GROUPS = [
        'Load' => [
            ['requests', 'n', 'N', 'Stop after N requests, or N iterations of a scenario'],
            ['duration', 'd', 'TIME', 'Send for this long, such as 30s, 1m30s or 500ms (default 10s)'],
            ['concurrency', 'c', 'N', 'Virtual users; with a rate, the most requests in flight (default 10, or 500)'],
            ['rate', null, 'R', 'Start R requests per second, answered or not; 600/m is 10'],
            ['ramp', null, 'FROM:TO:TIME', 'Change the users or the rate: 0:100:30s, 0/s:100/s:1m; may be repeated'],
            ['pause', null, 'TIME', 'Wait after each response; a number without a unit is milliseconds (default 0)'],
            ['timeout', null, 'TIME', 'Fail a request after this time'],
            ['processes', null, 'N', 'Send from N processes (default 1 for each 960 of --concurrency)'],
        ],
        'Request' => [
            ['method', 'm', 'NAME', 'The method (default GET, or POST with a body)'],
            ['header', 'H', 'LINE', "Add a header: -H 'Accept: text/html'; may be repeated"],
            ['body', null, 'TEXT', 'The body; {{n}}, {{uuid}} and {{random:A-B}} are replaced'],
            ['body-file', null, 'FILE', 'Read the body from a file'],
            ['scenario', null, 'FILE', 'Run the steps of this JSON file as each virtual user'],
            ['replay', null, 'FILE', 'Send the GET and HEAD requests of this access log, at their times'],
            ['speed', null, 'N', 'Replay N times as fast, or "max" (default 1)'],
            ['insecure', null, null, 'Accept a certificate that cannot be verified'],
            ['i-own-this-host', null, null, 'Send to a host that is not this machine, without a question'],
        ],
        'Checks' => [
            ['error-status', null, 'LIST', 'Statuses that are errors: 404,5xx,500-503 or none (default 4xx,5xx)'],
            ['expect-status', null, 'LIST', 'Statuses that succeed, such as 200,302; all others are errors'],
            ['expect-body', null, 'TEXT', 'Text that a correct response contains'],
            [
                'threshold',
                null,
                'CONDITION',
                "Exit with 3 unless this holds: 'p(95)<200', 'http_req_failed<1%'; may be repeated",
            ],
        ],
        'Output' => [
            ['output', null, 'FILE', 'Write a .json, .html, .jtl (JMeter) or .hgrm (percentiles) file; one of each'],
            ['json', null, null, 'Print the result as JSON'],
        ],
    ];

    private const REPEATED = ['ramp', 'header', 'threshold', 'output'];

    private const DEFAULTS = ['timeout' => Plan::DEFAULT_TIMEOUT.'s'];

    public static function own(): InputDefinition
    {
        $definition = new InputDefinition([
            new InputArgument('url', InputArgument::REQUIRED, 'Address of the requests'),
        ]);

        foreach (array_merge(...array_values(self::GROUPS)) as [$name, $shortcut, $value, $line]) {
            $mode = match (true) {
                $value === null => InputOption::VALUE_NONE,
                in_array($name, self::REPEATED, true) => InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY,
                default => InputOption::VALUE_REQUIRED,
            };
            $default = self::DEFAULTS[$name] ?? null;
            $definition->addOption(new InputOption($name, $shortcut, $mode, $line, $default));
        }

        return $definition;
    }

    /**
     * Adds the arguments and options that every command of the application has, without their shortcut -n.
     *
     * @param array<InputArgument> $arguments
     * @param array<InputOption> $options
     */
    public static function within(InputDefinition $own, array $arguments, array $options): InputDefinition
    {
        $definition = new InputDefinition([
            ...array_values($arguments),
            ...array_values($own->getArguments()),
            ...array_values($own->getOptions()),
        ]);

        foreach ($options as $option) {
            $isTaken = $option->getShortcut() !== null && $own->hasShortcut($option->getShortcut());
            $definition->addOption($isTaken
                ? new InputOption($option->getName(), null, InputOption::VALUE_NONE, $option->getDescription())
                : $option);
        }

        return $definition;
    }
}
