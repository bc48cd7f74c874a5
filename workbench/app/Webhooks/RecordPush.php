<?php

declare(strict_types=1);

namespace Workbench\App\Webhooks;

use Headroom\Core\Json;
use Headroom\Core\Record;
use Illuminate\Support\Facades\DB;

/**
 * What is done with a webhook from GitHub, one at a time.
 */
final readonly class RecordPush
{
    public function handle(Record $event): void
    {
        $headers = $event->values['headers'] ?? null;
        $sent = $headers instanceof Json ? json_decode($headers->text, true) : [];

        if (($sent['x-github-event'] ?? null) !== 'push') {
            return;
        }

        $push = json_decode((string) $event->values['body'], true, flags: JSON_THROW_ON_ERROR);

        // GitHub may send a delivery twice, and the buffer may hand it over twice: the id is unique,
        // and the second one does nothing.
        DB::table('pushes')->insertOrIgnore([
            'delivery_id' => $event->values['delivery_id'],
            'repository' => $push['repository']['full_name'],
            'ref' => $push['ref'],
        ]);
    }
}
