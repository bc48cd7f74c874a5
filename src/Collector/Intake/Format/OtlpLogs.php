<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake\Format;

use Headroom\Collector\Intake\Batch;
use Headroom\Collector\Intake\Json\Members;
use Headroom\Collector\Intake\Json\Text;
use Headroom\Collector\Intake\Limits;
use Headroom\Collector\Intake\Refused;
use Headroom\Collector\Intake\Rejected;
use Headroom\Collector\Request;

use function in_array;

/**
 * POST /v1/logs: an ExportLogsServiceRequest of OTLP/HTTP in JSON. Members that are not known are passed over, as OTLP asks.
 *
 * @internal
 */
final readonly class OtlpLogs implements Format
{
    public function __construct(private Members $members, private Limits $limits) {}

    public function read(Request $request, string $body, Batch $batch): void
    {
        if (! in_array($type = MediaType::of($request), ['application/json', ''], true)) {
            throw Refused::mediaType($type, 'application/json (OTLP/HTTP with JSON; set OTEL_EXPORTER_OTLP_PROTOCOL=http/json)');
        }

        $left = $this->limits->batchEvents;

        foreach ($this->listed($body, 'resourceLogs')[0] as $resourceLogs) {
            $left = $this->less($left);
            [$scopes, $text] = $this->listed($resourceLogs, 'scopeLogs', 'resource');
            $resource = new OtlpResource($this->members, $text ?? '{}');

            foreach ($scopes as $scopeLogs) {
                $left = $this->less($left);
                [$records, $scope] = $this->listed($scopeLogs, 'logRecords', 'scope');
                $reader = new OtlpRecord($this->members, $resource, $scope ?? '{}');

                foreach ($records as $record) {
                    $batch->offer($record, $reader);
                }
            }
        }
    }

    /**
     * @return array{iterable<string>, ?string} the items of a list in it, and another member of it
     *
     * @throws Refused
     */
    private function listed(string $object, string $list, string $other = ''): array
    {
        $items = null;
        $text = null;
        $members = 0;

        foreach (Text::eachMember($object) as $name => $member) {
            if (++$members > Limits::MEMBERS) {
                throw Refused::notJson('An object has more than '.Limits::MEMBERS." members; {$list} is what is read.");
            }

            if ($name === $list) {
                $items = $member;

                continue;
            }

            $this->check($name, $member);
            $text = $name === $other ? $member : $text;
        }

        return [$items === null || $items === 'null' ? [] : Text::eachItem($items), $text === 'null' ? null : $text];
    }

    /** @throws Refused */
    private function check(string $name, string $text): void
    {
        try {
            $this->members->check($text, $this->limits->eventBytes);
        } catch (Rejected $e) {
            throw Refused::notJson("The member '{$name}': {$e->getMessage()}");
        }
    }

    /**
     * Resources and scopes without records cost time as well.
     *
     * @throws Refused
     */
    private function less(int $left): int
    {
        return $left > 0 ? $left - 1 : throw Refused::tooManyEvents($this->limits->batchEvents);
    }
}
