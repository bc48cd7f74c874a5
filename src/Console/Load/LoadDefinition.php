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
            ['requests', 'n', 'N', 'Number of requests to run, or of iterations of a scenario'],
            ['duration', 'd', 'TIME', 'Duration of the run, such as 30s, 1m30s or 500ms (default 10s)'],
            ['concurrency', 'c', 'N', 'Virtual users; with an arrival rate, the most in flight (default 10, or 500)'],
            ['rate', null, 'R', 'Arrival rate (requests/s), open model; 600/m is 10'],
            [
                'stage',
                null,
                'TIME:TARGET',
                'Ramp to this many virtual users (30s:100) or requests/s (1m:500/s); may be repeated',
            ],
            ['pause', null, 'TIME', 'Pause after each iteration; a number without a unit is milliseconds (default 0)'],
            ['timeout', null, 'TIME', 'Timeout of a request'],
            ['processes', null, 'N', 'Number of processes that send (default 1 for each 960 of --concurrency)'],
        ],
        'Request' => [
            ['method', 'm', 'NAME', 'HTTP method (default GET, or POST with a body)'],
            ['header', 'H', 'LINE', "Request header, such as 'Accept: text/html'; may be repeated"],
            ['body', null, 'TEXT', 'Request body; {{n}}, {{uuid}} and {{random:A-B}} are replaced'],
            ['body-file', null, 'FILE', 'File with the request body'],
            ['scenario', null, 'FILE', 'JSON file with the steps of each iteration'],
            ['replay', null, 'FILE', 'Access log whose GET and HEAD requests are sent at their times'],
            ['speed', null, 'N', 'Speed of the replay: a factor, or "max"; without it, 1'],
            ['insecure', null, null, 'Accept certificates that cannot be verified'],
            ['allow-remote', null, null, 'Send to a host that is not this machine, without confirmation'],
        ],
        'Checks' => [
            ['error-status', null, 'LIST', 'Status codes that are errors: 404,5xx,500-503 or none (default 4xx,5xx)'],
            ['expect-status', null, 'LIST', 'Expected status codes, such as 200,302; all others are errors'],
            ['expect-body', null, 'TEXT', 'Text that each response body must contain'],
            [
                'threshold',
                null,
                'CONDITION',
                "Exit with 3 if a threshold is crossed: 'p(95)<200', 'http_req_failed<1%'; may be repeated",
            ],
        ],
        'Output' => [
            ['output', null, 'FILE', 'Also write the result to this .json, .html or .jtl (JMeter) file; one of each'],
            ['json', null, null, 'Print the result as JSON'],
        ],
    ];

    private const REPEATED = ['stage', 'header', 'threshold', 'output'];

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
