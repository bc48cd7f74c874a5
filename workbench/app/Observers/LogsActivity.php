<?php

declare(strict_types=1);

namespace Workbench\App\Observers;

use Illuminate\Database\Eloquent\Model;
use Illuminate\Support\Facades\Auth;
use Workbench\App\Models\Activity;

final class LogsActivity
{
    public function created(Model $model): void
    {
        $this->log('created', $model, [], $model->getAttributes());
    }

    public function updated(Model $model): void
    {
        $this->log(
            'updated',
            $model,
            array_intersect_key($model->getRawOriginal(), $model->getChanges()),
            $model->getChanges(),
        );
    }

    public function deleted(Model $model): void
    {
        $this->log('deleted', $model, $model->getRawOriginal(), []);
    }

    private function log(string $action, Model $model, array $old, array $new): void
    {
        $unseen = array_flip([...$model->getHidden(), $model->getCreatedAtColumn(), $model->getUpdatedAtColumn()]);

        // Buffered once the change is committed, and never if it is rolled back. Actor and address are read now.
        Activity::buffer([
            'actor_id' => Auth::id(),
            'ip' => request()->ip(),
            'action' => $action,
            'subject_type' => $model->getMorphClass(),
            'subject_id' => (string) $model->getKey(),
            'old' => array_diff_key($old, $unseen),
            'new' => array_diff_key($new, $unseen),
        ], afterCommit: true);
    }
}
